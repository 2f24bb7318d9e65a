package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/presage-race/presage/internal/untrusted/visible"
)

// replayRace runs the program under the witness of a race.
func (t *tools) replayRace(ctx context.Context, req *sdk.CallToolRequest, in raceIn) (string, map[string]any, error) {
	f, run, err := t.race(ctx, in)
	if err != nil {
		return "", nil, err
	}
	if f.candidate != nil || f.Witness == nil {
		return "", nil, fmt.Errorf("race %s cannot be replayed: %s", visible.Line(f.ID), noWitness)
	}
	done, err := t.alone(ctx)
	if err != nil {
		return "", nil, err
	}
	defer done()
	res, err := t.kept.Replay(ctx, run, f.ID, says(ctx, req))
	if err != nil {
		return "", nil, fmt.Errorf("race %s was not replayed: %w", visible.Line(f.ID), err)
	}
	out, err := bounded(res.Outcome)
	if err != nil {
		return "", nil, err
	}
	if out["verdict"] = "not confirmed"; res.Confirmed {
		out["verdict"] = "confirmed"
	}
	return withCuts(res.Text, out), out, nil
}

// says returns what sends progress to the client, if it wants that.
func says(ctx context.Context, req *sdk.CallToolRequest) func(string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(string) {}
	}
	n := 0.0
	return func(text string) {
		n++
		// A client that does not read it has ended the call.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: visible.Line(clip(text, maxName))})
	}
}
