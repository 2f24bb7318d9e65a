package walk

import (
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
)

// Reason is why an invocation was not walked.
type Reason string

const (
	NoFunction Reason = "no-function" // the function is not in the plan
	Differs    Reason = "differs"     // a value or an address is not the recomputed one
	Lost       Reason = "lost"        // a record that the plan does not have at this point
)

// Stats counts what the walk has done.
type Stats struct {
	Events        int64 // seen
	Walked        int64 // consumed by a walk that agreed
	Checked       int64 // recorded values and addresses compared
	Invocations   int64 // function invocations that were walked to their end
	Panicked      int64 // of these: ended by a panic
	Unwalked      map[Reason]int64
	Mismatches    int64 // invocations given up because walk and trace differ
	TooLarge      int64 // sets of reads pinned because of their size
	TooOld        int64 // reads pinned because of their age
	Forks         int64 // forks that were kept
	TimersLeft    int64 // operations on timers without other outcomes: there may be bubbles
	ForksLeft     int64 // forks that were not, because there were many at one instruction
	TermsTooLarge int64 // values without a term because it would be too large
}

// Stats returns the counts so far.
func (w *Walker) Stats() Stats {
	s := w.stats
	s.Unwalked = maps.Clone(s.Unwalked)
	s.TimersLeft = w.facts.timers.left
	for _, g := range w.goroutines {
		if g == nil {
			continue
		}
		s.TooLarge += g.deps.tooLarge
		s.TooOld += g.deps.tooOld
	}
	return s
}

// Mismatch is a point where the walk and the trace differ: a bug of presage.
type Mismatch struct {
	Index    int64 // of the event
	Func     string
	Instr    string
	Pos      string
	What     string
	Computed goval.Value
	Recorded goval.Value
}

// String prints the mismatch on one line.
func (m Mismatch) String() string {
	var b strings.Builder
	b.WriteString(m.Pos + ": " + m.Func + ": " + m.Instr + ": " + m.What)
	if !m.Computed.Unknown() || !m.Recorded.Unknown() {
		b.WriteString(": recomputed " + m.Computed.String() + ", recorded " + m.Recorded.String())
	}
	return b.String()
}

// maxMismatches bounds how many are kept.
const maxMismatches = 200

// mismatchAt ends the walk of an invocation (WA1).
func (g *goroutine) mismatchAt(f *Frame, in *regcode.Instr, e *trace.Event, computed, recorded goval.Value, what string) {
	f.walked = false
	g.valueWords = 0
	g.deps.pinAll()
	w := g.w
	w.stats.Mismatches++
	if !computed.Unknown() || !recorded.Unknown() {
		w.stats.Unwalked[Differs]++
	} else {
		w.stats.Unwalked[Lost]++
	}
	if len(w.mismatches) >= maxMismatches {
		return
	}
	m := Mismatch{Index: g.event, Func: f.code.Plan.SSA.String(), What: what, Computed: computed, Recorded: recorded}
	fset := f.code.Plan.Unit.Pkg.Fset
	pos := f.code.Plan.SSA.Pos()
	if in == nil && !f.leaving && f.entering == 0 {
		in = f.Instr()
	}
	if in != nil {
		m.Instr = instrString(in.SSA)
		for _, x := range f.code.Blocks[f.block].Instrs[:f.ip+1] {
			if p := x.SSA.Pos(); p.IsValid() {
				pos = p
			}
		}
	}
	m.Pos = fset.Position(pos).String()
	w.mismatches = append(w.mismatches, m)
}

func instrString(in ssa.Instruction) string {
	if v, ok := in.(ssa.Value); ok {
		return v.Name() + " = " + in.String()
	}
	return in.String()
}

// Mismatches returns the first mismatches. There are Stats().Mismatches.
func (w *Walker) Mismatches() []Mismatch { return w.mismatches }
