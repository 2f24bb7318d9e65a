package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// Bounds of a page of races.
const (
	defaultRaces = 25
	mostRaces    = 100
)

type racesIn struct {
	Run        string `json:"run,omitempty" jsonschema:"ID of a run of list_runs, or the beginning of it; without it the last run"`
	Tier       string `json:"tier,omitempty" jsonschema:"only races of this tier: confirmed, observed, predicted, by-value, by-path or replayed; candidate lists pairs without a proof"`
	File       string `json:"file,omitempty" jsonschema:"only races with an access in a file whose name has this in it"`
	Test       string `json:"test,omitempty" jsonschema:"only races of tests whose name has this in it"`
	Suppressed bool   `json:"suppressed,omitempty" jsonschema:"list the suppressed races instead of the others"`
	Offset     int    `json:"offset,omitempty" jsonschema:"how many races to skip"`
	Limit      int    `json:"limit,omitempty" jsonschema:"how many races to list: 25 without it, at most 100"`
}

// racesOut is the answer of list_races.
type racesOut struct {
	Run        string `json:"run"`
	Outcome    string `json:"outcome" jsonschema:"the last lines of the report"`
	Searched   string `json:"searched" jsonschema:"whole: no gaps; part: a race in one of the gaps may be missed; nothing; unknown"`
	Gaps       []gap  `json:"gaps" jsonschema:"what was not recorded or not searched"`
	MoreGaps   int    `json:"more_gaps,omitempty"`
	Total      int    `json:"total" jsonschema:"races that the arguments select"`
	Races      []race `json:"races"`
	LeftOut    int    `json:"left_out" jsonschema:"selected races behind this page"`
	NextOffset int    `json:"next_offset,omitempty" jsonschema:"the offset of the next page, if there is one"`
	Findings   int    `json:"findings" jsonschema:"groups of races that share a variable or a source line; one cause has one group"`
	Suppressed int    `json:"suppressed" jsonschema:"races that a comment, a baseline or a pattern suppresses"`
	Candidates int    `json:"candidates" jsonschema:"pairs without a proof"`
	Static     int    `json:"static_warnings,omitempty" jsonschema:"warnings of presage test -static, which presage report prints"`
}

// gap is a part of the run that was not recorded or not searched.
type gap struct {
	Text string `json:"text"`
	More string `json:"more,omitempty" jsonschema:"what that means, and what to do"`
	Lost bool   `json:"lost,omitempty" jsonschema:"recording or searching it ended early"`
}

// race is a race of a list.
type race struct {
	ID      string   `json:"id"`
	Tier    string   `json:"tier"`
	Finding int      `json:"finding,omitempty" jsonschema:"the number of its group"`
	Object  string   `json:"object" jsonschema:"the variable, field or element"`
	Holds   string   `json:"holds,omitempty" jsonschema:"what is there: map, interface, slice, string, struct, pointer, counter, flag or number"`
	A       access   `json:"a"`
	B       access   `json:"b"`
	Tests   []string `json:"tests,omitempty"`
	By      string   `json:"suppressed_by,omitempty" jsonschema:"ignore (a comment), pattern, baseline or revision"`
	Reason  string   `json:"reason,omitempty"`
}

// access is one access of a race of a list.
type access struct {
	Kind   string `json:"kind"`
	At     string `json:"at" jsonschema:"file:line:column"`
	Func   string `json:"func,omitempty"`
	Source string `json:"source,omitempty"`
}

// listRaces lists the races of a run, the surest and worst findings first.
func (t *tools) listRaces(ctx context.Context, _ *sdk.CallToolRequest, in racesIn) (string, racesOut, error) {
	if err := in.check(); err != nil {
		return "", racesOut{}, err
	}
	c, err := t.report(ctx, in.Run)
	if err != nil {
		return "", racesOut{}, err
	}
	dir, _ := os.Getwd()
	out := racesOut{
		Run: c.run, Searched: "unknown", Gaps: []gap{}, Races: []race{}, Candidates: len(c.candidates), Static: c.static,
		Outcome: clip(report.Outcome(&c.config, c.suppressed, &c.summary, report.TextOptions{Dir: dir}), maxName*4),
	}
	if cover := c.summary.Coverage; cover != nil {
		out.Searched = string(cover.Searched)
		out.gaps(cover, c.warnings)
	}
	list := c.entries(in, dir)
	out.Findings, out.Suppressed, out.Total = len(report.Group(c.races)), c.countSuppressed(), len(list)
	out.page(list, in, dir)
	return out.text(in), out, nil
}

// tiers are those that races and candidates have.
var tiers = []report.Tier{report.Confirmed, report.Observed, report.Predicted, report.ByValue, report.ByPath, report.Replayed, tierCandidate}

// check finds arguments that select nothing in any report.
func (in *racesIn) check() error {
	if in.Tier != "" && !slices.Contains(tiers, report.Tier(in.Tier)) {
		var names []string
		for _, t := range tiers {
			names = append(names, string(t))
		}
		return fmt.Errorf("there is no tier %q: there are %s", clip(in.Tier, maxName), strings.Join(names, ", "))
	}
	if in.Limit == 0 {
		in.Limit = defaultRaces
	}
	return checkPage(in.Offset, in.Limit, mostRaces)
}

// checkPage checks the arguments of a page.
func checkPage(offset, limit, most int) error {
	switch {
	case offset < 0:
		return fmt.Errorf("offset %d is negative", offset)
	case limit < 1 || limit > most:
		return fmt.Errorf("limit %d is not between 1 and %d", limit, most)
	}
	return nil
}

// shownGaps bounds the gaps of an answer.
const shownGaps = 12

// gaps adds what was not searched, with the warnings that have the details.
func (o *racesOut) gaps(c *report.Coverage, warnings []*report.Warning) {
	if c.Searched == report.Nothing {
		o.Gaps = append(o.Gaps, gap{Text: visible.Line(clip(c.Why, maxName))})
	}
	for i, g := range c.Gaps {
		if i == shownGaps {
			o.MoreGaps = len(c.Gaps) - i
			break
		}
		x := gap{Text: visible.Line(clip(g.Text, maxName)), Lost: g.Lost}
		if k := slices.IndexFunc(warnings, func(w *report.Warning) bool { return w.Code == g.Code }); k >= 0 {
			x.More = visible.Line(clip(warnings[k].Text, 2*maxName))
		}
		o.Gaps = append(o.Gaps, x)
	}
}

// countSuppressed is the number of suppressed races.
func (c *collected) countSuppressed() (n int) {
	for _, m := range c.suppressed {
		if !isCandidate(m) {
			n++
		}
	}
	return n
}

// entry is a race that a list has, before it is written.
type entry struct {
	*report.Race
	finding int
	by      *report.Suppressed // nil: it is not suppressed
}

// entries are the races that the arguments select.
func (c *collected) entries(in racesIn, dir string) (list []entry) {
	add := func(e entry) {
		if in.selects(e.Race, dir) {
			list = append(list, e)
		}
	}
	switch {
	case in.Suppressed:
		for _, m := range c.suppressed {
			add(entry{m.Race, 0, m})
		}
	case in.Tier == string(tierCandidate):
		for _, x := range c.candidates {
			add(entry{x.AsRace(), 0, nil})
		}
	default:
		for i, g := range report.Group(c.races) {
			for _, r := range g {
				add(entry{r, i + 1, nil})
			}
		}
	}
	return list
}

// selects reports whether the arguments select a race.
func (in *racesIn) selects(r *report.Race, dir string) bool {
	within := func(a *report.Access) bool { return in.File == "" || strings.Contains(relative(dir, a.File), in.File) }
	return (in.Tier == "" || r.Tier == report.Tier(in.Tier)) && (within(&r.A) || within(&r.B)) &&
		(in.Test == "" || slices.ContainsFunc(r.In(), func(t report.Test) bool { return strings.Contains(t.Name, in.Test) }))
}

// listed is a race as the answer has it.
func (e *entry) listed(dir string) race {
	out := race{ID: e.ID, Tier: string(e.Tier), Finding: e.finding, Object: clip(e.Name(), maxName), Holds: string(e.Holds), A: listedAccess(&e.A, dir), B: listedAccess(&e.B, dir)}
	for _, t := range e.In() {
		name := cmp.Or(t.Name, t.Package)
		if len(out.Tests) == mostTests {
			break
		}
		if !slices.Contains(out.Tests, name) {
			out.Tests = append(out.Tests, clip(name, maxName))
		}
	}
	if e.by != nil {
		out.By, out.Reason = string(e.by.By), clip(e.by.Reason, maxName)
	}
	return visible.Copy(out)
}

// mostTests bounds the tests of a race in a list.
const mostTests = 4

func listedAccess(a *report.Access, dir string) access {
	at := a.Position
	at.File = relative(dir, at.File)
	return access{Kind: a.Kind, At: clip(at.String(), maxName), Func: clip(a.Func, maxName), Source: clip(a.Source, maxName)}
}

// page takes as many races as the arguments want and an answer has room for.
func (o *racesOut) page(list []entry, in racesIn, dir string) {
	first := min(in.Offset, len(list))
	var room pageRoom
	for _, e := range list[first:min(first+in.Limit, len(list))] {
		r := e.listed(dir)
		if !room.takes(r, r.text()) {
			break
		}
		o.Races = append(o.Races, r)
	}
	if end := first + len(o.Races); end < len(list) {
		o.LeftOut, o.NextOffset = len(list)-end, end
	}
}

// pageRoom is what the items of a page have taken of an answer. Two thirds are for them.
type pageRoom struct{ json, text int }

// takes reports whether there is room for an item; for the first one there is.
func (p *pageRoom) takes(item any, text string) bool {
	data, err := json.Marshal(item)
	if err != nil || p.json > 0 && (p.json+len(data) > maxJSON*2/3 || p.text+len(text) > maxText*2/3) {
		return false
	}
	p.json, p.text = p.json+len(data), p.text+len(text)
	return true
}

// text is the answer for the model.
func (o *racesOut) text(in racesIn) string {
	var b strings.Builder
	visible.Fprintf(&b, "run %s\n%s\n", o.Run, visible.Block(o.Outcome))
	for _, g := range o.Gaps {
		visible.Fprintf(&b, "not searched: %s\n", g.Text)
	}
	if o.MoreGaps > 0 {
		visible.Fprintf(&b, "not searched: %s\n", plural.Of(o.MoreGaps, "more part"))
	}
	if o.Suppressed > 0 {
		visible.Fprintf(&b, "%s\n", plural.Text(o.Suppressed, "{{n}} race{{|s}} {{is|are}} suppressed (argument suppressed lists {{it|them}})"))
	}
	if o.Candidates > 0 {
		visible.Fprintf(&b, "%s\n", plural.Text(o.Candidates, "{{n}} pair{{|s}} {{has|have}} no proof (tier candidate lists {{it|them}})"))
	}
	b.WriteString("\n")
	for _, r := range o.Races {
		b.WriteString(r.text())
	}
	switch {
	case o.Total == 0:
		b.WriteString("No race is selected.\n")
	case len(o.Races) == 0:
		fmt.Fprintf(&b, "There is no race behind offset %d: %s in all.\n", in.Offset, plural.Of(o.Total, "race"))
	case o.LeftOut > 0:
		fmt.Fprintf(&b, "%s left out behind this page: offset %d has the next.\n", plural.Text(o.LeftOut, "{{n}} race{{|s}} {{is|are}}"), o.NextOffset)
	}
	return b.String()
}

// text is a race in a few lines. Its texts have no active characters.
func (r *race) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) on %s", r.ID, r.Tier, r.Object)
	if len(r.Tests) > 0 {
		fmt.Fprintf(&b, ", in %s", strings.Join(r.Tests, ", "))
	}
	if r.By != "" {
		fmt.Fprintf(&b, ", suppressed by %s %s", r.By, r.Reason)
	}
	b.WriteString("\n")
	for _, a := range []access{r.A, r.B} {
		fmt.Fprintf(&b, "  %s at %s: %s\n", a.Kind, a.At, a.Source)
	}
	return b.String()
}
