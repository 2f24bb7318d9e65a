package record

import (
	"context"
	"io"
	"time"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// Config is a program to record.
type Config struct {
	Test     bool     // go test; otherwise a program is built and run
	Dir      string   // -C, or ""
	Flags    []string // of the go command, as the user gave them
	Packages []string // as the user gave them; none is the package of the directory
	Args     []string // of the program; for tests with -args in front
	JSON     bool     // the go command prints the tests as JSON

	Disk disk.Share // what the records of the run may take of the disk

	Instrument []string // patterns of further packages to instrument
	Exclude    []string // patterns of packages to leave out,
	Only       []string // and of those to keep; none: all
	Reach      Reach    // how what calls of packages that are left out can reach is found
	// record what functions with synchronisation of their own can reach (plan.Config.Around)
	Around bool

	// Ordering is called when the program has ended, with the time that it has run. It returns a
	// function of two sizes: of one process's records, and of all records that are left. That
	// returns a function that reports whether the time for merging the process is over. Nil: it
	// never is.
	Ordering func(ran time.Duration) (over func(size, rest int64) func() bool)

	// Early is given the trace of each process that has ended while others of the tests run, one
	// after the other, on a goroutine of package beside. The last call may outlast Run. Nil:
	// processes are merged when all are over.
	Early      func(EarlyTrace)
	earlyAfter time.Duration // tests: instead of the constant

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Progress       func(text string)

	points bool            // accesses may be points of a schedule (Steer)
	healed []trace.Warning // of what of the cache was made anew
}

// Result is what a run left.
type Result struct {
	Dir       string   // of the run, in the cache
	Run       *RunDir  // the same; nil: nothing was recorded
	Traces    []string // one per process that recorded anything
	Early     []string // of them, those that were ready before all had ended, and stand
	ExitCode  int      // of the program, or of go test
	NotBuilt  bool     // the go command does not accept the program, and has said why
	Missing   string   // why nothing could be recorded although the program ran
	LoadError string   // with NotBuilt: what presage could not load, if that is known
	Functions int      // chosen for instrumentation
	Opaque    int      // of them, left as written

	// of the run: patterns that match nothing, processes that left no trace
	Warnings []trace.Warning

	BuildFlags []string // with which the packages are loaded

	// Plan loads the plan that the program was built with.
	Plan func(context.Context) (*plan.Plan, error)
}
