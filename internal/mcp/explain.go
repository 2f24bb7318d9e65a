package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

type raceIn struct {
	ID  string `json:"id" jsonschema:"ID of a race of list_races, or the beginning of it"`
	Run string `json:"run,omitempty" jsonschema:"ID of a run of list_runs, or the beginning of it; without it the last run"`
}

// explainRace explains a race as presage explain does.
func (t *tools) explainRace(ctx context.Context, _ *sdk.CallToolRequest, in raceIn) (string, map[string]any, error) {
	f, _, err := t.race(ctx, in)
	if err != nil {
		return "", nil, err
	}
	var text, data bytes.Buffer
	dir, _ := os.Getwd()
	to := report.Tee(report.NewDetails(&text, report.TextOptions{Dir: dir}), report.NewJSON(&data))
	if f.candidate != nil {
		err = to.Candidate(f.candidate)
	} else {
		err = to.Race(f.Race)
	}
	if err != nil {
		return "", nil, err
	}
	out, err := bounded(json.RawMessage(data.Bytes()))
	return withCuts(text.String(), out), out, err
}

// withCuts adds to a text what the JSON of an answer leaves out.
func withCuts(text string, out map[string]any) string {
	left, _ := out["left_out"].([]leftOut)
	var parts []string
	for _, l := range left {
		if slices.Contains(numbers, l.List[strings.LastIndexByte(l.List, '.')+1:]) {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s of %s", plural.Of(l.Items, "item"), visible.Line(l.List)))
	}
	text = clip(text, maxText*2/3)
	if parts != nil {
		text = strings.TrimRight(text, "\n") + "\n\nThe JSON leaves out " + clip(strings.Join(parts, ", "), maxName*4) + ".\n"
	}
	return text
}

type pairIn struct {
	A   string `json:"a" jsonschema:"a source line as file:line, with as much of the path as is unique"`
	B   string `json:"b" jsonschema:"the other one"`
	Run string `json:"run,omitempty" jsonschema:"ID of a run of list_runs, or the beginning of it; without it the last run"`
}

// mostPairs bounds the pairs of accesses that an answer explains.
const mostPairs = 8

// pairs are the explanations of two source lines.
type pairs struct {
	Races   []json.RawMessage   `json:"races"`
	NoRaces []*report.Explained `json:"no_races"`
	Absent  string              `json:"absent,omitempty"`
	text    strings.Builder
	more    int
	o       report.TextOptions
}

// full counts a pair, and reports whether there is room for no more.
func (p *pairs) full() bool {
	if len(p.Races)+len(p.NoRaces) < mostPairs {
		return false
	}
	p.more++
	return true
}

// Race implements Explanations.
func (p *pairs) Race(r *report.Race) error {
	if p.full() {
		return nil
	}
	var data bytes.Buffer
	if err := report.NewJSON(&data).Race(r); err != nil {
		return err
	}
	var of struct{ Race json.RawMessage }
	err := json.Unmarshal(data.Bytes(), &of)
	p.Races = append(p.Races, of.Race)
	return errors.Join(err, report.NewDetails(&p.text, p.o).Race(r))
}

// Explained implements Explanations.
func (p *pairs) Explained(e *report.Explained) error {
	if p.full() {
		return nil
	}
	p.NoRaces = append(p.NoRaces, e)
	return report.WriteExplained(&p.text, p.o, e)
}

var position = regexp.MustCompile(`^[^:].*:\d+$`)

// explainPair explains two source lines as presage explain does.
func (t *tools) explainPair(ctx context.Context, _ *sdk.CallToolRequest, in pairIn) (string, map[string]any, error) {
	for _, x := range []string{in.A, in.B} {
		if !position.MatchString(x) {
			return "", nil, fmt.Errorf("%q is no source line: it is file:line, as pool.go:12 or net/pool.go:12:3", clip(x, maxName))
		}
	}
	done, err := t.alone(ctx)
	if err != nil {
		return "", nil, err
	}
	defer done()
	dir, _ := os.Getwd()
	p := &pairs{Races: []json.RawMessage{}, NoRaces: []*report.Explained{}, o: report.TextOptions{Dir: dir}}
	if p.Absent, err = t.kept.Pair(ctx, in.Run, in.A, in.B, p); err != nil {
		return "", nil, err
	}
	out, err := bounded(p)
	if err != nil {
		return "", nil, err
	}
	if p.Absent != "" {
		visible.Fprintf(&p.text, "%s\n", p.Absent)
	}
	text := p.text.String()
	if p.more > 0 {
		out["more_pairs"] = p.more
		text += plural.Text(p.more, "{{n}} more pair{{|s}} of accesses {{is|are}} left out: file:line:column selects one.\n")
	}
	return withCuts(text, out), out, nil
}
