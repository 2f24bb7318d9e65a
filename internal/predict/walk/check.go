package walk

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// parameter handles the Value record of a parameter.
func (g *goroutine) parameter(f *Frame, e *trace.Event) bool {
	if e.Kind != format.Value || e.Site != f.code.Plan.Site {
		g.fail(f, e, "expected a parameter", nil)
		return false
	}
	g.beginValue(f, e)
	return f.walked
}

// beginValue starts to read a Value record. The record of a value larger than format.MaxValue has
// only its first bytes.
func (g *goroutine) beginValue(f *Frame, e *trace.Event) {
	f.stage.words = append(f.stage.words[:0], e.Val)
	f.stage.size = int64(e.Size)
	g.valueWords = max(0, (int(e.Size)+7)/8-1)
	if g.valueWords == 0 {
		g.endValue(f, e)
	}
}

// word handles one more word of a Value record.
func (g *goroutine) word(e *trace.Event) bool {
	f := g.stack.top()
	if f == nil || !f.walked || g.valueWords == 0 {
		return false
	}
	f.stage.words = append(f.stage.words, e.Val)
	if g.valueWords--; g.valueWords == 0 {
		g.endValue(f, e)
	}
	return f.walked
}

// endValue compares the recorded value with the recomputed one (WA1), and sets its register.
func (g *goroutine) endValue(f *Frame, e *trace.Event) {
	v := goval.Words(append([]uint64(nil), f.stage.words...))
	size := f.stage.size
	if f.entering > 0 {
		i := len(f.code.Params) - f.entering
		f.entering--
		if h := &f.code.Plan.Params[i]; h.Size >= 0 && min(h.Size, format.MaxValue) != size {
			g.mismatch(f, nil, e, goval.Known(uint64(h.Size)), goval.Known(uint64(size)), "size of parameter "+h.Val.Name())
			return
		}
		g.passed(f, e, &f.code.Plan.Params[i], f.code.Params[i], v, size)
		if i < len(f.expects) && g.w.opts.branching {
			if fn := f.expects[i].Function(); fn != nil {
				g.learner.at(made{fn: fn}, v, g.event)
			}
		}
		return
	}
	in := f.Instr()
	w := f.next(in)
	if w.Hook.Size >= 0 && min(w.Hook.Size, format.MaxValue) != size {
		g.mismatch(f, in, e, goval.Known(uint64(w.Hook.Size)), goval.Known(uint64(size)), "size")
		return
	}
	c := goval.Value{}
	switch {
	case in.Std != nil:
		c = in.Std.Eval(f.code.Texts, f.arguments(in))[max(0, w.Hook.Index)]
	case in.N == 1:
		c = g.machine.computed(f, in)
	}
	if (in.Std != nil || in.N == 1) && !g.check(f, in, e, w.Hook, c, v, size) {
		return
	}
	if _, ok := in.SSA.(*ssa.Alloc); ok {
		g.privates.allocated(in, len(g.stack.frames)-1, v)
	}
	v = withContent(v, c, w.Hook.Type, size)
	f.regs[w.Reg] = v
	if g.w.opts.branching {
		g.learner.value(f, in, g.event)
		g.learner.dynamicType(f, in, g.event)
	}
	if _, ok := in.SSA.(*ssa.Select); ok && w.Hook.Index == 0 {
		bits, _ := v.Bits()
		f.stage.chosen = int(int64(bits))
	}
	f.stage.want++
}

// passed gives a parameter its recorded value. If the caller is walked, the value is compared with
// the one that the caller passes (WA1).
func (g *goroutine) passed(f *Frame, e *trace.Event, h *plan.Hook, r int32, v goval.Value, size int64) {
	c := f.regs[r]
	if f.static && !g.check(f, nil, e, h, c, v, size) {
		return
	}
	f.regs[r] = withContent(v, c, h.Type, size)
	if g.w.opts.symbolic {
		f.terms[r] = g.machine.checked(f.terms[r], v, size)
	}
}

// withContent returns a recorded value with the content of the recomputed one, if they are strings.
func withContent(v, computed goval.Value, t types.Type, size int64) goval.Value {
	if text, ok := computed.Content(); ok && size == 16 && goval.KindOf(t) == types.String {
		return v.WithText(text)
	}
	return v
}

// check compares a recomputed value with the recorded one.
func (g *goroutine) check(f *Frame, in *regcode.Instr, e *trace.Event, h *plan.Hook, computed, recorded goval.Value, size int64) bool {
	g.w.stats.Checked++
	if !goval.Differ(computed, recorded, size) || !g.w.differ(h.Type, f.code.Sizes, computed, recorded, size) {
		return true
	}
	if g.stacks.moved(computed, recorded, size) {
		return true
	}
	g.mismatch(f, in, e, computed, recorded, "value")
	return false
}

// spans are the addresses of a goroutine's stacks, each with its end.
type spans [][2]uint64

func (s spans) contains(addr uint64) bool {
	for _, x := range s {
		if x[0] <= addr && addr < x[1] {
			return true
		}
	}
	return false
}

// moved reports whether two values differ only in addresses of the stack, which has moved since.
func (s spans) moved(computed, recorded goval.Value, size int64) bool {
	for i := range int(size+7) / 8 {
		x, ok := computed.Word(i)
		y, ok2 := recorded.Word(i)
		if ok && ok2 && x != y && !(s.contains(x) && s.contains(y)) {
			return false
		}
	}
	return true
}
