// Package gentrace writes a synthetic trace in RAPID's STD format to standard output. Package
// synthetic says what is in it.
//
//	go -C bench run ./detectors gentrace -events 10000000 -threads 16 -locks 64 | gzip > t.std.gz
//
// The same flags and seed give the same bytes.
package gentrace

import (
	"os"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/synthetic"
)

// Main writes a trace.
func Main(args []string) int {
	flags := command.Flags("detectors gentrace", "[flags] > t.std")
	c := synthetic.Default
	flags.IntVar(&c.Events, "events", c.Events, "number of events, about")
	flags.IntVar(&c.Threads, "threads", c.Threads, "number of threads, the main one included")
	flags.IntVar(&c.Locks, "locks", c.Locks, "number of locks")
	flags.IntVar(&c.Kinds, "kinds", c.Kinds, "kinds of locks: those of one kind are used at the same locations; 0: each has its own")
	flags.IntVar(&c.Vars, "vars", c.Vars, "variables per lock")
	flags.IntVar(&c.Own, "own", c.Own, "variables per thread that no other thread touches")
	flags.IntVar(&c.Shared, "shared", c.Shared, "variables that are written once, before the forks, and then read by all")
	flags.IntVar(&c.Races, "races", c.Races, "seeded races")
	flags.IntVar(&c.Section, "section", c.Section, "accesses between two lock operations, on average")
	flags.Uint64Var(&c.Seed, "seed", c.Seed, "seed")
	flags.Parse(args)
	command.NoArgs(flags)
	command.Check(synthetic.Write(os.Stdout, c))
	return 0
}
