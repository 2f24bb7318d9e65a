package mcp

import (
	"context"

	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
)

// Kept is what the tools work on: the kept runs of one module. A run is named by its ID or the
// beginning of it; "" is the last one that has finished. Methods may be called side by side.
type Kept interface {
	// Runs lists the runs, newest first.
	Runs(context.Context) ([]Run, error)

	// Report sends the report of a run to a handler, with what is suppressed as such. It returns
	// the ID of the run.
	Report(ctx context.Context, run string, to report.Handler) (id string, err error)

	// Pair explains the accesses at two source lines. If there is nothing to explain, it returns
	// what is known of them.
	Pair(ctx context.Context, run, p, q string, to Explanations) (absent string, err error)

	// Replay runs the program under the witness of a race, which has the given ID in the report of
	// the run. It says what it is doing. When ctx ends, so do the processes that it has started.
	Replay(ctx context.Context, run, race string, says func(string)) (*Replayed, error)
}

// Explanations receives the races at two source lines, and the pairs of accesses that are none.
type Explanations interface {
	Race(*report.Race) error
	Explained(*report.Explained) error
}

// Replayed is the outcome of a replay, with the text that presage replay prints of it.
type Replayed struct {
	*replay.Outcome
	Text string
}

// Run is a kept run.
type Run struct {
	ID       string   `json:"id"`
	Begun    string   `json:"begun" jsonschema:"in UTC"`
	Verdict  string   `json:"verdict" jsonschema:"races, no races, searched in part, not searched, unknown, damaged, still running, or killed, or failed"`
	ExitCode *int     `json:"exit_code,omitempty" jsonschema:"of presage; absent if the run has no report"`
	Races    *int     `json:"races,omitempty"`
	Command  []string `json:"command"`
	Why      string   `json:"why,omitempty" jsonschema:"why its report cannot be read"`
}
