// Thinned judges the recording of outside code. Package merge makes two traces of one run: one of
// the accesses that the recorder writes down, about two for each turn of a word, and one that has
// every access. Both must have the same racing locations: bytes of memory, between two
// allocations, with conflicting accesses of two goroutines that happens-before leaves unordered.
//
//	go run ./bench/thinned [-n 10000] [-seed 1] [-v]
//	go run ./bench/thinned -fault all
//	go run ./bench/thinned -levels [-n 10000] [-seed 1]
//
// It runs random programs, n of them, and exits with 1 if there is a difference. A program is of
// two to five goroutines that access shared memory in inside and outside code, under locks that
// are sometimes forgotten. With -fault it seeds faults into the recorder, one after the other,
// and says which of them make a difference.
//
// A pair of source lines that only the full trace has is no fault: the two accesses that are kept
// of a turn stand for the others. Such pairs are counted.
//
// With -levels it analyses the thinned traces at every level instead, and exits with 1 if a level
// does not report what the one below it reports (package levels).
//
// A second judgement is of reads (SC7, reads.go): where the full trace has a read by outside code
// of what emitted code of its goroutine has written, the thinned one must have it, behind the write
// and not behind the read. Programs give the standard library what emitted code has written
// (things.go of the program), and a fault counts as noticed by either judgement.
//
// The racing locations are judged twice: by a list of all earlier accesses of each word, which is
// exact, and by package hb, which has to find the first race of each location.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"
)

// batch is the number of programs that run in one process.
const batch = 50

func main() {
	n := flag.Int("n", 10000, "programs to run")
	seed := flag.Int("seed", 1, "seed of the first one")
	verbose := flag.Bool("v", false, "count the operations that take part in races")
	faulty := flag.String("fault", "", "seed this fault into the recorder, or all, one after the other")
	ladder := flag.Bool("levels", false, "compare what the levels of analysis report")
	flag.Parse()
	dir, err := os.MkdirTemp("", "presage-thinned-")
	check(err)
	code := 0
	switch {
	case *ladder:
		code, err = compareLevels(context.Background(), dir, *seed, *n)
	case *faulty != "":
		err = tryFaults(dir, *faulty, *seed, *n)
	default:
		code, err = fair(dir, *seed, *n, *verbose)
	}
	os.RemoveAll(dir)
	check(err)
	os.Exit(code)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "thinned:", err)
		os.Exit(2)
	}
}

// fair judges the recorder as it is.
func fair(dir string, seed, n int, verbose bool) (code int, err error) {
	ctx := context.Background()
	p, err := build(ctx, dir, false)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	t, err := p.judge(ctx, seed, n, false)
	if err != nil {
		return 0, err
	}
	fmt.Printf("%v, %.0f s\n", t, time.Since(begin).Seconds())
	if verbose {
		for _, k := range slices.SortedFunc(maps.Keys(t.operations), func(a, b string) int {
			return cmp.Or(cmp.Compare(t.operations[b], t.operations[a]), cmp.Compare(a, b))
		}) {
			fmt.Printf("%8d %s\n", t.operations[k], k)
		}
	}
	if t.differ() {
		t.print(os.Stdout)
		return 1, nil
	}
	return 0, nil
}

// tryFaults judges the recorder with faults.
func tryFaults(dir, name string, seed, n int) error {
	ctx := context.Background()
	p, err := build(ctx, dir, true)
	if err != nil {
		return err
	}
	for i, f := range faults {
		if name != "all" && name != f.name {
			continue
		}
		t, err := p.judge(ctx, seed, n, true, fmt.Sprint(envFault, "=", i+1))
		if err != nil {
			fmt.Printf("%-18s %v\n", f.name, err)
			continue
		}
		fmt.Printf("%-18s %-12s %d programs, missing %d, false %d, unread %d\n", f.name, map[bool]string{true: "noticed", false: "NOT NOTICED"}[t.differ()], t.programs, len(t.missing), len(t.false), len(t.unread))
		if name != "all" {
			t.print(os.Stdout)
		}
	}
	return nil
}
