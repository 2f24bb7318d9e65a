// Package thinned judges the recording of outside code. Package merge makes two traces of one run.
// One has the accesses that the recorder writes down, about two for each turn of a word; the other
// has every access. Both must have the same racing locations: bytes of memory, between two
// allocations, with conflicting accesses of two goroutines that happens-before leaves unordered.
//
//	go -C bench run ./recorder thinned [-n 10000] [-seed 1] [-v]
//	go -C bench run ./recorder thinned -fault all
//	go -C bench run ./recorder thinned -levels [-n 10000] [-seed 1]
//
// It runs n random programs. A program has two to five goroutines, which access shared memory in
// inside and outside code, under locks that are sometimes forgotten. With -fault, faults are
// seeded into the recorder, one after the other; the output says which of them make a difference.
//
// A pair of source lines that only the full trace has is no fault: the two accesses that are kept
// of a turn represent the others. Such pairs are counted.
//
// With -levels, the thinned traces are analysed at every level instead, and each level must report
// what the one below it reports (package internal/oracle/levels).
//
// A second judgement is of reads (SC7, reads.go). Where the full trace has a read by outside code
// of memory that emitted code of its goroutine has written, the thinned one must have the read,
// after the write and not after the read's place in the full trace. Programs give the standard
// library memory that emitted code has written (things.go of the program). A fault is noticed if
// either judgement notices it.
//
// The racing locations are judged twice: by a list of all earlier accesses of each word, which is
// exact; and by package hb, which has to find the first race of each location.
//
// The exit code is 1 if there is a difference.
package thinned

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// batch is the number of programs that run in one process.
const batch = 50

// Main judges the recorder as it is, with faults, or its traces at every level.
func Main(args []string) int {
	flags := command.Flags("recorder thinned", "[-n programs] [-seed s] [-fault name|all | -levels] [-v]")
	n := flags.Int("n", 10000, "programs to run")
	seed := flags.Int("seed", 1, "seed of the first one")
	verbose := flags.Bool("v", false, "count the operations that take part in races")
	faulty := flags.String("fault", "", "seed this fault into the recorder, or all, one after the other")
	ladder := flags.Bool("levels", false, "compare what the levels of analysis report")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	dir, err := session.Scratch("")
	command.Check(err)
	code := 0
	switch {
	case *ladder:
		code, err = compareLevels(context.Background(), dir, *seed, *n)
	case *faulty != "":
		err = tryFaults(dir, *faulty, *seed, *n)
	default:
		code, err = fair(dir, *seed, *n, *verbose, figures)
	}
	os.RemoveAll(dir)
	command.Check(err)
	return code
}

// fair judges the recorder as it is.
func fair(dir string, seed, n int, verbose bool, figures *command.Figures) (code int, err error) {
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
	figures.Print("all", command.Count(t.programs, "programs"), command.Count(len(t.missing), "missing"), command.Count(len(t.false), "false"), command.Count(len(t.unread), "unread"))
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
