// Gentrace writes a synthetic trace in RAPID's STD format to standard output: package synthetic
// says what is in it.
//
//	go run ./bench/gentrace -events 10000000 -threads 16 -locks 64 | gzip > t.std.gz
//
// The same flags and seed give the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/presage-race/presage/bench/synthetic"
)

func main() {
	c := synthetic.Default
	flag.IntVar(&c.Events, "events", c.Events, "number of events, about")
	flag.IntVar(&c.Threads, "threads", c.Threads, "number of threads, the main one included")
	flag.IntVar(&c.Locks, "locks", c.Locks, "number of locks")
	flag.IntVar(&c.Kinds, "kinds", c.Kinds, "kinds of locks: those of one kind are used at the same locations; 0: each has its own")
	flag.IntVar(&c.Vars, "vars", c.Vars, "variables per lock")
	flag.IntVar(&c.Own, "own", c.Own, "variables per thread that no other thread touches")
	flag.IntVar(&c.Shared, "shared", c.Shared, "variables that are written once, before the forks, and then read by all")
	flag.IntVar(&c.Races, "races", c.Races, "seeded races")
	flag.IntVar(&c.Section, "section", c.Section, "accesses between two lock operations, on average")
	flag.Uint64Var(&c.Seed, "seed", c.Seed, "seed")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := synthetic.Write(os.Stdout, c); err != nil {
		fmt.Fprintln(os.Stderr, "gentrace:", err)
		os.Exit(1)
	}
}
