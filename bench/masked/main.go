// Command masked counts how often presage and go test -race find the expected races of
// the examples, over several runs of each.
//
//	go run ./bench/masked [-n 20] [-only name]
//
// A run of presage counts if its report has exactly the expected pairs; a run of -race counts if it reports anything
// at all. The examples without an expected race are run too: there, any report is wrong.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"

	"presage/bench/expect"
	"presage/bench/session"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("masked: ")
	n := flag.Int("n", 20, "runs of each example")
	only := flag.String("only", "", "only the example of this name")
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
	fmt.Printf("%-14s %8s %8s %8s\n", "example", "expected", "presage", "-race")
	failed := 0
	for _, name := range names(want) {
		if *only != "" && name != *only {
			continue
		}
		exact, race := 0, 0
		for range *n {
			if presage(ctx, s, name, want) {
				exact++
			}
			if goRace(ctx, name) {
				race++
			}
		}
		if exact < *n {
			failed++
		}
		fmt.Printf("%-14s %8d %5d/%-2d %5d/%-2d\n", name, len(want[name]), exact, *n, race, *n)
	}
	os.RemoveAll(s.Dir)
	if failed > 0 {
		log.Fatalf("%d examples are not as expected in every run", failed)
	}
}

func names(want map[string][]expect.Pair) []string {
	var all []string
	for name := range want {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func presage(ctx context.Context, s *session.Session, name string, want map[string][]expect.Pair) bool {
	o, err := s.Test(ctx, ".", nil, "./examples/"+name)
	if err != nil {
		log.Print(err)
		return false
	}
	missing, extra := expect.Compare(map[string][]expect.Pair{name: want[name]}, expect.Races(o.Races))
	for _, m := range missing {
		log.Printf("missing %s", m)
	}
	for _, e := range extra {
		log.Printf("extra %s", e)
	}
	return len(missing)+len(extra) == 0
}

// goRace reports whether go test -race prints a race.
func goRace(ctx context.Context, name string) bool {
	out, _ := exec.CommandContext(ctx, "go", "test", "-race", "-count=1", "./examples/"+name).CombinedOutput()
	return bytes.Contains(out, []byte("DATA RACE"))
}
