// Package masked counts how often presage and go test -race find the expected races of the
// examples, over several runs of each.
//
//	go -C bench run ./recall masked [-n 20] [-only name] [-level path]
//
// A run of presage counts if its report has exactly the expected pairs. A run of -race counts if
// it reports any race. Examples without an expected race are run too: any report of these is
// wrong.
//
// The exit code is 1 if an example is not as expected in every run of presage.
package masked

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/oracle/expect"
)

// Main runs the examples.
func Main(args []string) int {
	flags := command.Flags("recall masked", "[-n runs] [-only name] [-level path]")
	n := flags.Int("n", 20, "runs of each example")
	only := flags.String("only", "", "only this example, as lockorder or recipe/fig1")
	level := flags.String("level", "path", "level of presage's analysis; pairs of this level and below are expected")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	want, err := expect.Read(filepath.Join(session.Root, "examples"))
	command.Check(err)
	ctx := context.Background()
	s, err := session.New(ctx, "")
	command.Check(err)
	pattern := "./examples/..."
	if *only != "" {
		pattern = "./examples/" + *only
		name := path.Base(*only)
		want = map[string][]expect.Pair{name: want[name]}
	}
	exact, race := make(map[string]int), make(map[string]int)
	for range *n {
		presage(ctx, s, pattern, *level, want, exact)
		goRace(ctx, pattern, race)
	}
	os.RemoveAll(s.Dir)
	failed := 0
	fmt.Printf("%-14s %8s %8s %8s\n", "example", "expected", "presage", "-race")
	for _, name := range names(want) {
		if exact[name] < *n {
			failed++
		}
		fmt.Printf("%-14s %8d %5d/%-2d %5d/%-2d\n", name, expected(want[name], *level), exact[name], *n, race[name], *n)
	}
	if failed > 0 {
		log.Printf("%d examples are not as expected in every run", failed)
	}
	figures.Print("level="+*level, command.Count(len(want), "examples"), command.Count(len(want)-failed, "exact"), command.Count(*n, "runs"))
	return command.Code(failed == 0)
}

// expected counts the pairs that a level must report.
func expected(pairs []expect.Pair, level string) (n int) {
	for _, p := range pairs {
		if p.Rung.At(level) {
			n++
		}
	}
	return n
}

func names(want map[string][]expect.Pair) []string {
	var all []string
	for name := range want {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// presage records all examples once and counts those whose report is exact.
func presage(ctx context.Context, s *session.Session, pattern, level string, want map[string][]expect.Pair, exact map[string]int) {
	o, err := s.Test(ctx, session.Root, nil, "-level", level, pattern)
	if err != nil {
		log.Print(err)
		return
	}
	got := expect.Races(o.Races)
	for name, pairs := range want {
		missing, extra := expect.Compare(map[string][]expect.Pair{name: pairs}, map[string][]expect.Pair{name: got[name]}, level)
		for _, m := range missing {
			log.Printf("missing %s", m)
		}
		for _, e := range extra {
			log.Printf("extra %s", e)
		}
		if len(missing)+len(extra) == 0 {
			exact[name]++
		}
	}
}

// goRace counts the examples for which go test -race prints a race.
func goRace(ctx context.Context, pattern string, race map[string]int) {
	cmd := exec.CommandContext(ctx, "go", "test", "-race", "-count=1", "-json", pattern)
	cmd.Dir = session.Root
	out, _ := cmd.Output() // tests with a race fail
	seen := make(map[string]bool)
	for line := range bytes.Lines(out) {
		var e struct{ Package, Output string }
		if json.Unmarshal(line, &e) == nil && strings.Contains(e.Output, "DATA RACE") {
			seen[path.Base(e.Package)] = true
		}
	}
	for name := range seen {
		race[name]++
	}
}
