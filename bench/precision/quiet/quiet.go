// Package quiet runs `presage test` on tests that use the standard library from many goroutines
// and have no race, as go test -race confirms. Every race that presage reports there is false: a
// synchronisation or an allocation has no record.
//
//	go -C bench run ./precision quiet [-n 3] [-run regexp] [-online]
//
// The tests are in testdata, a module of its own. Each run has another pace of the garbage
// collector and another number of processors.
//
// The exit code is 1 if there is a false race.
package quiet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// variants are the environments of the runs.
var variants = [][]string{nil, {"GOGC=5"}, {"GOMAXPROCS=8"}, {"GOMAXPROCS=1"}}

// Main runs the tests in each variant.
func Main(args []string) int {
	flags := command.Flags("precision quiet", "[-n runs] [-run regexp] [-online]")
	n := flags.Int("n", 1, "runs of each variant")
	match := flags.String("run", "", "only tests that match")
	online := flags.Bool("online", false, "use the detector of presage test -online")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	tmp, err := session.Scratch("")
	command.Check(err)
	defer os.RemoveAll(tmp)
	presage := filepath.Join(tmp, "presage")
	command.Check(session.Build(context.Background(), presage))
	test := []string{"test", "-level", "hb", "-count=1"}
	if *online {
		test = []string{"test", "-online", "-count=1"}
	}
	if *match != "" {
		test = append(test, "-run", *match)
	}
	races := output(nil, "go", "test", "-race", "-count=1", "-run="+*match, "./...")
	if strings.Contains(races, "DATA RACE") {
		return command.Fail(fmt.Errorf("go test -race reports a race:\n%s", races))
	}
	found := 0
	for range *n {
		for _, env := range variants {
			out := output(env, presage, append(test, "./...")...)
			k := strings.Count("\n"+out, "\nDATA RACE")
			found += k
			fmt.Printf("%v: %d false races\n", env, k)
			if k > 0 || strings.Contains(out, "FAIL") {
				fmt.Print(out)
			}
		}
	}
	figures.Print("all", command.Count(*n*len(variants), "runs"), command.Count(found, "false"))
	return command.Code(found == 0)
}

// output returns what a command prints in the directory of the programs.
func output(env []string, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir = "precision/quiet/testdata"
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		command.Check(err)
	}
	return out.String()
}
