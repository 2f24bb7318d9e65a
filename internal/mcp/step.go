package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// Bounds of the steps of an answer.
const (
	aroundStep = 5 // steps before and behind the one that is asked for
	lastSteps  = 20
	mostSteps  = 100
)

type stepIn struct {
	ID   string `json:"id" jsonschema:"ID of a race of list_races, or the beginning of it"`
	Run  string `json:"run,omitempty" jsonschema:"ID of a run of list_runs, or the beginning of it; without it the last run"`
	Step int    `json:"step,omitempty" jsonschema:"show this step, from 1, and five on either side"`
	From int    `json:"from,omitempty" jsonschema:"the first step to show; without step, from and to the last 20 are shown"`
	To   int    `json:"to,omitempty" jsonschema:"the last step to show; at most 100 are"`
}

// stepsOut is the answer of step_race.
type stepsOut struct {
	ID       string `json:"id"`
	Schedule string `json:"schedule" jsonschema:"what the schedule is, and what it keeps of the recorded run"`
	Total    int    `json:"total" jsonschema:"steps that the report has"`
	Omitted  int    `json:"omitted,omitempty" jsonschema:"earlier steps that the report leaves out"`
	Before   int    `json:"left_out_before" jsonschema:"steps before the first one shown"`
	Behind   int    `json:"left_out_behind" jsonschema:"steps behind the last one shown"`
	Steps    []step `json:"steps"`
}

// step is a step of a schedule.
type step struct {
	Step      int    `json:"step" jsonschema:"its number, from 1"`
	Goroutine int    `json:"goroutine"`
	Who       string `json:"who" jsonschema:"the goroutine by name"`
	Does      string `json:"does"`
	At        string `json:"at,omitempty" jsonschema:"file:line:column"`
	Func      string `json:"func,omitempty"`
	Source    string `json:"source,omitempty"`
	// the value and where it was written, of a read that sees another one than in the recorded run
	Sees    string   `json:"sees,omitempty" jsonschema:"of a read that sees another value than in the recorded run"`
	Writer  string   `json:"written_by,omitempty" jsonschema:"who wrote that value, and where"`
	Fork    bool     `json:"leaves_path,omitempty" jsonschema:"the goroutine leaves its recorded path because of the value"`
	Held    []string `json:"held" jsonschema:"locks that the goroutine holds before the step"`
	OffPath bool     `json:"off_path,omitempty" jsonschema:"the recorded run does not do this here"`
	Access  string   `json:"access,omitempty" jsonschema:"a or b: the step is this access of the race"`
	Event   int64    `json:"event" jsonschema:"its number in the recorded run; negative off the recorded path"`
}

// stepRace shows steps of the schedule of a race.
func (t *tools) stepRace(ctx context.Context, _ *sdk.CallToolRequest, in stepIn) (string, stepsOut, error) {
	f, _, err := t.race(ctx, raceIn{ID: in.ID, Run: in.Run})
	if err != nil {
		return "", stepsOut{}, err
	}
	s := f.Schedule()
	if s == nil || len(s.Steps) == 0 {
		return "", stepsOut{}, fmt.Errorf("race %s has no schedule: %s", visible.Line(f.ID), noWitness)
	}
	first, last, err := in.window(len(s.Steps))
	if err != nil {
		return "", stepsOut{}, err
	}
	out := stepsOut{ID: visible.Line(f.ID), Schedule: kindOf(s), Total: len(s.Steps), Omitted: s.Omitted, Steps: []step{}}
	dir, _ := os.Getwd()
	// The steps behind matter more: what has no room is left out in front, unless the arguments say
	// where to begin.
	var room pageRoom
	for n := range last - first + 1 {
		number := last - n
		if in.From > 0 {
			number = first + n
		}
		x := visible.Copy(stepOf(f.Race, s, number, dir))
		if !room.takes(x, x.text()) {
			break
		}
		out.Steps = append(out.Steps, x)
	}
	if in.From <= 0 {
		slices.Reverse(out.Steps)
	}
	out.Before, out.Behind = out.Steps[0].Step-1, len(s.Steps)-out.Steps[len(out.Steps)-1].Step
	return out.text(), out, nil
}

// noWitness says why there is nothing to follow or to replay.
const noWitness = "races of -online and candidates have no witness; presage test without -online looks for one"

// kindOf says what a schedule is.
func kindOf(s *report.Schedule) string {
	switch {
	case s.Events == 0:
		return "The two accesses, as they came in the recorded run."
	case s.Recorded:
		return "The recorded run itself is the schedule: no synchronisation keeps the two accesses apart."
	}
	return fmt.Sprintf("A schedule of %s that exposes the race. %s", plural.Of(s.Events, "event"), clip(visible.Line(s.Keeps), maxName))
}

// window returns the first and the last of n steps that the arguments want.
func (in *stepIn) window(n int) (first, last int, err error) {
	switch {
	case in.Step != 0 && (in.From != 0 || in.To != 0):
		return 0, 0, errors.New("step, or from and to, not both")
	case in.Step < 0 || in.From < 0 || in.To < 0 || max(in.Step, in.From) > n:
		return 0, 0, fmt.Errorf("the steps of the race have the numbers 1 to %d", n)
	case in.Step > 0:
		return max(in.Step-aroundStep, 1), min(in.Step+aroundStep, n), nil
	case in.From == 0 && in.To == 0:
		return max(n-lastSteps+1, 1), n, nil
	}
	last = min(cmp.Or(in.To, n), n)
	first = max(in.From, 1)
	if in.From > last {
		return 0, 0, fmt.Errorf("from %d is behind to %d", in.From, in.To)
	}
	if in.From > 0 {
		last = min(last, first+mostSteps-1)
	}
	return max(first, last-mostSteps+1), last, nil
}

// stepOf is a step by its number.
func stepOf(r *report.Race, s *report.Schedule, number int, dir string) step {
	x := &s.Steps[number-1]
	out := step{
		Step: number, Goroutine: x.Goroutine, Who: clip(r.Who(x.Goroutine), maxName), Does: clip(x.Text, maxName), At: place(x.Position, dir),
		Func: clip(x.Func, maxName), Source: clip(x.Source, maxName), Held: []string{}, OffPath: x.OffPath, Event: x.Event,
	}
	for i, l := range x.Held {
		if i == mostHeld {
			out.Held = append(out.Held, "… and "+plural.Of(len(x.Held)-i, "more lock"))
			break
		}
		out.Held = append(out.Held, clip(l, maxName))
	}
	if number > len(s.Steps)-2 {
		switch x.Event {
		case r.A.Event:
			out.Access = "a"
		case r.B.Event:
			out.Access = "b"
		}
	}
	if read := s.Read(x.Event); read != nil {
		out.Sees, out.Fork = clip(read.Sees(), maxName), read.Fork
		if from := read.From; from != nil {
			out.Writer = clip(fmt.Sprintf("%s at %s: %s", r.Who(from.Goroutine), place(from.Position, dir), from.Source), maxName)
		}
	}
	return out
}

// mostHeld bounds the locks of a step.
const mostHeld = 8

// place is a position, relative to the working directory; "" if it is not known.
func place(p report.Position, dir string) string {
	if p.File == "" {
		return ""
	}
	p.File = relative(dir, p.File)
	return clip(p.String(), maxName)
}

// text is the answer for the model.
func (o *stepsOut) text() string {
	var b strings.Builder
	visible.Fprintf(&b, "race %s: %s\n", o.ID, o.Schedule)
	if o.Omitted > 0 {
		fmt.Fprintf(&b, "%s left out of the report.\n", plural.Text(o.Omitted, "{{n}} earlier step{{|s}} {{is|are}}"))
	}
	fmt.Fprintf(&b, "steps %d to %d of %d:\n\n", o.Before+1, o.Total-o.Behind, o.Total)
	for i := range o.Steps {
		b.WriteString(o.Steps[i].text())
	}
	return b.String()
}

// text is a step in a few lines. Its texts have no active characters.
func (s *step) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d. %s %s", s.Step, s.Who, s.Does)
	if s.At != "" {
		fmt.Fprintf(&b, " at %s", s.At)
	}
	for _, x := range []struct {
		is   bool
		text string
	}{
		{s.Access != "", "access " + s.Access}, {s.OffPath, "off the recorded path"}, {s.Fork, "leaves its recorded path here"},
		{len(s.Held) > 0, "holds " + strings.Join(s.Held, ", ")}, {s.Sees != "", "sees " + s.Sees}, {s.Writer != "", "written by " + s.Writer},
	} {
		if x.is {
			b.WriteString("; " + x.text)
		}
	}
	b.WriteString("\n")
	if s.Source != "" {
		fmt.Fprintf(&b, "      %s\n", s.Source)
	}
	return b.String()
}
