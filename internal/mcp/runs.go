package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// runsIn has no arguments.
type runsIn struct{}

// runsOut is the answer of list_runs. The cache keeps few runs, so there are no pages.
type runsOut struct {
	Runs []Run `json:"runs"`
}

// listRuns lists the kept runs.
func (t *tools) listRuns(ctx context.Context, _ *sdk.CallToolRequest, _ runsIn) (string, runsOut, error) {
	runs, err := t.kept.Runs(ctx)
	if err != nil {
		return "", runsOut{}, err
	}
	out := runsOut{Runs: []Run{}}
	var b strings.Builder
	for _, r := range runs {
		r = visible.Copy(r)
		r.Why = clip(r.Why, maxName)
		if n := len(r.Command); n > mostItems {
			r.Command = append(r.Command[:mostItems:mostItems], fmt.Sprintf("… and %s", plural.Of(n-mostItems, "more argument")))
		}
		for i, a := range r.Command {
			r.Command[i] = clip(a, maxName)
		}
		out.Runs = append(out.Runs, r)
		fmt.Fprintf(&b, "%s  %s", r.ID, r.Verdict)
		if r.Races != nil {
			fmt.Fprintf(&b, ", %s", plural.Of(*r.Races, "race"))
		}
		fmt.Fprintf(&b, "  %s", strings.Join(r.Command, " "))
		if r.Why != "" {
			fmt.Fprintf(&b, "  (%s)", r.Why)
		}
		b.WriteString("\n")
	}
	if len(runs) == 0 {
		b.WriteString("No run of this module is kept: presage test ./... records one.\n")
	}
	return b.String(), out, nil
}
