// Command quiet runs `presage test` on tests that use the standard library from many goroutines and
// have no race, as go test -race confirms. Every race that presage reports there is false: an edge
// or an allocation without a record.
//
//	go run ./bench/quiet [-n 3] [-run regexp] [-online]
//
// Each run has another collector pace and another number of processors. The exit code is 1 if there
// is a false race.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// variants are the environments of the runs.
var variants = [][]string{nil, {"GOGC=5"}, {"GOMAXPROCS=8"}, {"GOMAXPROCS=1"}}

func main() {
	log.SetFlags(0)
	log.SetPrefix("quiet: ")
	n := flag.Int("n", 1, "runs of each variant")
	match := flag.String("run", "", "tests that match")
	online := flag.Bool("online", false, "with the detector of presage test -online")
	flag.Parse()
	tmp, err := os.MkdirTemp("", "quiet")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	presage := filepath.Join(tmp, "presage")
	if out, err := exec.Command("go", "build", "-o", presage, "./cmd/presage").CombinedOutput(); err != nil {
		log.Fatalf("%v\n%s", err, out)
	}
	args := []string{"test", "-level", "hb", "-count=1"}
	if *online {
		args = []string{"test", "-online", "-count=1"}
	}
	if *match != "" {
		args = append(args, "-run", *match)
	}
	races := command(nil, "go", "test", "-race", "-count=1", "-run="+*match, "./...")
	if strings.Contains(races, "DATA RACE") {
		log.Fatalf("go test -race reports a race:\n%s", races)
	}
	found := 0
	for range *n {
		for _, env := range variants {
			out := command(env, presage, append(args, "./...")...)
			k := strings.Count("\n"+out, "\nDATA RACE")
			found += k
			fmt.Printf("%v: %d false races\n", env, k)
			if k > 0 || strings.Contains(out, "FAIL") {
				fmt.Print(out)
			}
		}
	}
	if found > 0 {
		os.Exit(1)
	}
}

// command returns what a command says in the directory of the programs.
func command(env []string, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir = "bench/quiet/testdata"
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		log.Fatal(err)
	}
	return out.String()
}
