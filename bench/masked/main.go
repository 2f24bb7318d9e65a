// Command masked counts how often presage and go test -race find the expected races of
// the examples, over several runs of each.
//
//	go run ./bench/masked [-n 20] [-only name] [-level path]
//
// A run of presage counts if its report has exactly the expected pairs; a run of -race counts if it
// reports anything at all. The examples without an expected race are run too: there, any report is
// wrong.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/presage-race/presage/bench/expect"
	"github.com/presage-race/presage/bench/session"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("masked: ")
	n := flag.Int("n", 20, "runs of each example")
	only := flag.String("only", "", "only this example, as lockorder or recipe/fig1")
	level := flag.String("level", "path", "of presage's analysis; the expected pairs are those that it reaches")
	flag.Parse()
	want, err := expect.Read("examples")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	s, err := session.New(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
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
		log.Fatalf("%d examples are not as expected in every run", failed)
	}
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
	o, err := s.Test(ctx, ".", nil, "-level", level, pattern)
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
	out, _ := exec.CommandContext(ctx, "go", "test", "-race", "-count=1", "-json", pattern).Output()
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
