package cli

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// report prints what was found, and returns the exit code as an error.
func (v *vetting) report(ctx context.Context) error {
	h, end := v.forms.printer(v.env.Stdout, v.json)
	err := v.send(ctx, h)
	if endErr := end(); endErr != nil {
		return endErr
	}
	return err
}

// send sends the report to h, and returns the exit code as an error.
func (v *vetting) send(ctx context.Context, h report.Handler) error {
	if err := h.Config(&report.Config{Protocol: report.ProtocolVersion, Tool: "presage", Version: version(), GoVersion: runtime.Version(),
		Command: append([]string{"presage"}, v.env.Args...), Dir: v.dir, Level: "static"}); err != nil {
		return err
	}
	s := &v.res.Stats
	v.counts.Packages, v.counts.Functions, v.counts.Lines, v.counts.Revision = s.Packages, s.Functions, s.Lines, v.since
	found := v.warnings
	if v.guards {
		found = v.suggestions
	}
	if err := found(ctx, h); err != nil {
		return err
	}
	messages, failed := v.messages()
	for i := range messages {
		if err := h.Warning(&messages[i]); err != nil {
			return err
		}
	}
	code := exitNone
	switch {
	case v.counts.Warnings > 0:
		code = exitRaces
	case failed:
		code = exitFailed
	}
	err := h.Summary(&report.Summary{Warnings: len(messages), ExitCode: code, Functions: s.Functions, Vet: &v.counts})
	if !v.quiet { // the report itself does not depend on time
		v.sayTime(&s.Store)
	}
	if err == nil && code != exitNone {
		err = &exitError{code: code}
	}
	return err
}

// sayTime says how long the analysis took, and how many packages earlier runs had analysed.
func (v *vetting) sayTime(s *static.Store) {
	text := visible.Sprintf("presage: analysed in %.1fs", time.Since(v.begun).Seconds())
	if s.Made+s.Found > 0 {
		text += visible.Sprintf("; %s, %d as in an earlier run", plural.Text(s.Made, "{{n}} package{{|s}} new or changed"), s.Found)
	}
	visible.Fprintf(v.env.Stderr, "%s\n", text)
}

// warnings reports the warnings of the tier, or writes them into the baseline.
func (v *vetting) warnings(ctx context.Context, h report.Handler) error {
	kept := v.choose()
	if v.write {
		return v.writeBaseline(kept)
	}
	shown := v.res.Report(func(w *static.Warning) bool { return kept[w] && tier.Shows(tier.Tier(v.tier), w.Tier) })
	v.counts.Warnings = len(shown)
	v.counts.Lower = v.res.Count(func(w *static.Warning) bool { return kept[w] }) - len(shown)
	out := make([]*report.StaticWarning, len(shown))
	for i, w := range shown {
		if w.Rank.InTest {
			v.counts.InTest++
		}
		out[i] = v.warning(w, i+1)
	}
	if v.confirms() && len(out) > 0 {
		v.unconfirmed = v.confirm(ctx, shown, out)
		v.progress.end()
	}
	for _, w := range out {
		if err := h.StaticWarning(w); err != nil {
			return err
		}
	}
	return nil
}

// warning is a warning as the report has it.
func (v *vetting) warning(w *static.Warning, rank int) *report.StaticWarning {
	sides := v.res.Sides(w)
	r := &report.StaticWarning{
		ID: w.ID, A: staticAccess(&sides[0]), B: staticAccess(&sides[1]), Object: w.Object(),
		Count: 1 + w.Others, Likelihood: string(w.Tier), Reasons: w.Codes,
		Vet: report.Vet{Missing: []report.Reason{}, Common: w.Common(), Rank: rank, Class: w.Class(), WriteWrite: w.Rank.WriteWrite, InTest: w.Rank.InTest, Calls: w.Rank.Calls},
	}
	if w.Rank.Guarded {
		r.Vet.Guard, r.Vet.Held, r.Vet.Uses = w.Rank.Guard.Lock, w.Rank.Guard.Held, w.Rank.Guard.Uses
	}
	for _, code := range w.Codes {
		r.Vet.Missing = append(r.Vet.Missing, report.Reason{Code: code, Text: tier.Text(code)})
	}
	return r
}

func staticAccess(s *static.Side) report.Access {
	a := report.Access{Position: position(s.Pos), Kind: s.Kind, Expr: s.Expr, Func: s.Func, Stack: stack(s.Stack), Locks: []report.Lock{},
		Goroutine: report.Goroutine{Func: s.Root, Created: stack(s.Created), Origin: s.Origin, Many: s.Many, Starter: s.Starter}}
	for _, l := range s.Locks {
		a.Locks = append(a.Locks, report.Lock{Name: l.Name, Mode: l.Mode})
	}
	return a
}

func stack(frames []static.Frame) (out []report.Frame) {
	for _, f := range frames {
		out = append(out, report.Frame{Func: f.Func, Position: position(f.Pos)})
	}
	return out
}

func position(p token.Position) report.Position {
	return report.Position{File: p.Filename, Line: p.Line, Col: p.Column}
}

// suggestions reports which lock guards what.
func (v *vetting) suggestions(_ context.Context, h report.Handler) error {
	for _, s := range v.res.Guards() {
		m := &report.Guard{Position: position(s.Pos), Memory: s.Memory, Lock: s.Lock, Held: s.Held, Uses: s.Uses, Without: []report.Position{}}
		for _, p := range s.Without {
			m.Without = append(m.Without, position(p))
		}
		v.counts.Guards++
		if err := h.Guard(m); err != nil {
			return err
		}
	}
	return nil
}

// fromHere is a text in which names of files below the working directory are shortened, as those
// of accesses are.
func fromHere(text string) string {
	if wd, err := os.Getwd(); err == nil {
		return strings.ReplaceAll(text, wd+string(filepath.Separator), "")
	}
	return text
}

// messages says what the report does not cover; failed if something is wrong with what was to be
// analysed.
func (v *vetting) messages() (out []report.Warning, failed bool) {
	say := func(code string, n int, text string) {
		if n > 0 {
			out = append(out, report.Warning{Code: code, Count: n, Text: plural.Text(n, fromHere(text))})
		}
	}
	for _, e := range v.res.Errors {
		say("load", 1, e.String())
		failed = failed || e.Target
	}
	for _, u := range v.res.Unmatched {
		say("no-match", 1, u)
		failed = true
	}
	for _, e := range v.ignored.Errors {
		say("ignore", 1, e.String())
		failed = true
	}
	if !v.guards {
		for _, d := range v.ignored.Unused() {
			say("unused-ignore", 1, fmt.Sprintf("%v: this //presage:ignore silences no warning (presage test -static says whether a race needs it)", d.Pos))
		}
	}
	if v.unconfirmed != nil {
		say("not-confirmed", 1, fmt.Sprintf("no warning was confirmed: %v", v.unconfirmed))
		failed = true
	}
	if v.confirms() && v.unconfirmed == nil && v.counts.Warnings > 0 && v.counts.Callable == 0 {
		say("not-callable", 1, "no warning was confirmed: no test can be written for any of them (docs/using/vet.md, Proof)")
	}
	s := &v.res.Stats
	for _, m := range []struct {
		code string
		n    int
		text string
	}{
		{"unknown-call", s.Link.Holes - s.Link.Filled, "{{n}} call{{|s}} through {{an interface or a function value that is|interfaces and function values that are}} not known: what {{it reaches|they reach}} is taken to be called from outside"},
		{"no-body", s.Unmodelled.NoBody, "{{n}} function{{|s}} without a body (assembly, go:linkname): what {{it does|they do}} is not seen"},
		{"cgo", s.Unmodelled.Cgo, "{{n}} file{{|s}} that need{{s|}} cgo {{is|are}} left out"},
		{"unsafe", s.Unmodelled.Unsafe, "{{n}} conversion{{|s}} of unsafe.Pointer to a pointer: where {{it points|these point}} is not known"},
		{"reflect", s.Unmodelled.Reflect, "{{n}} call{{|s}} by reflection {{is|are}} not followed"},
	} {
		say(m.code, m.n, m.text)
	}
	say(record.HealedCode, s.Store.Damaged, "{{n}} {{summary|summaries}} of the cache {{was|were}} damaged, and {{was|were}} made anew")
	for b := range summary.NumBounds {
		say(b.Code(), s.Cuts[b], b.Text())
	}
	return out, failed
}
