package walk

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// operand returns an operand as a term, nil if it depends on reads and has none.
func (f *Frame) operand(a *regcode.Arg) *goval.Term {
	d := f.depsOf(a)
	if d == nil || d.pinned {
		return goval.Fixed(f.Value(a))
	}
	return f.terms[a.Reg]
}

// setTerm gives the first register of an instruction its term, as far as it has the recorded value
// (WA6).
func (m *machine) setTerm(f *Frame, in *regcode.Instr, t *goval.Term) {
	if in.Reg < 0 || in.N == 0 {
		return
	}
	f.terms[in.Reg] = m.checked(t, f.regs[in.Reg], in.Size)
}

// checked drops the words of a term that differ from the value v in the recorded run, or that are
// too large.
func (m *machine) checked(t *goval.Term, v goval.Value, size int64) *goval.Term {
	if t == nil {
		return nil
	}
	known := false
	for i, e := range t.Words {
		if e == nil {
			continue
		}
		mask := goval.Mask(8)
		if size >= 0 { // else the type is a type parameter
			mask = goval.Mask(max(0, size-8*int64(i)))
		}
		if want, ok := v.Word(i); ok && !goval.RecordedIs(e, want, mask) {
			if t = t.Without(i); i == 1 {
				t.Text = nil
			}
		} else if goval.TooLarge(e) {
			m.stats.TermsTooLarge++
			t = t.Without(i)
		}
		known = known || t.Words[i] != nil
	}
	if t = t.Trimmed(); t.Null != nil {
		if w, ok := v.Word(0); ok && !goval.RecordedIs(t.Null, truth(w == 0), goval.Mask(8)) {
			t = &goval.Term{Words: t.Words, Text: t.Text}
		}
	}
	if !known && t.Text == nil && t.Null == nil {
		return nil
	}
	return t
}

// termOf returns the term of operand a.
func (f *Frame) termOf(a *regcode.Arg) *goval.Term {
	if a.Reg < 0 || f.terms == nil {
		return nil
	}
	return f.terms[a.Reg]
}

// resultTerm computes the term of an instruction's result (WA6).
func (f *Frame) resultTerm(in *regcode.Instr) *goval.Term {
	switch in.Op {
	case regcode.OpLocal:
		c := &f.cells[in.Cell]
		at, ok := f.Value(&in.Args[0]).Bits()
		switch {
		case !ok || in.Size < 0, c.words == nil: // a variable that is not followed
			return nil
		case c.terms == nil:
			return goval.Fixed(f.regs[in.Reg])
		}
		return (&goval.Term{Words: c.terms}).Part(int64(at), in.Size)
	case regcode.OpLoad:
		if !f.stage.known || f.stage.says {
			return nil
		}
		return goval.LoadTerm(f.stage.loads)
	case regcode.OpPart:
		return f.partTerm(in)
	case regcode.OpEval:
		if in.N != 1 || f.stage.reads != nil && !in.Appends || f.regs[in.Reg].Unknown() {
			return nil
		}
		args := make([]*goval.Term, len(in.Args))
		for i := range in.Args {
			args[i] = f.operand(&in.Args[i])
		}
		if x, ok := in.SSA.(*ssa.TypeAssert); ok {
			if _, pointer := x.AssertedType.Underlying().(*types.Pointer); !pointer {
				return nil
			}
			return args[0].Part(8, 8)
		}
		return f.code.Express(in, args)
	}
	return nil
}

func (f *Frame) partTerm(in *regcode.Instr) *goval.Term {
	t := f.operand(&in.Args[0])
	switch in.SSA.(type) {
	case *ssa.FieldAddr:
		if in.Offsets == nil || in.Size < 0 || in.Fused {
			return nil
		}
		return t.Part(in.Offsets[in.Index], in.Size)
	case *ssa.IndexAddr:
		i, ok := f.Value(&in.Args[1]).Bits()
		if at := goval.Signed(in.Kind2, i); ok && at >= 0 && in.Elem >= 0 {
			return t.Part(at*in.Elem, in.Elem)
		}
		return nil
	}
	return t
}

// readWord returns the term of a read by an atomic operation or from a channel.
func readWord(index int64, e *trace.Event) *goval.Term {
	n := int64(e.Size)
	if e.Kind == format.ChanRecv {
		n = 8
	}
	if e.Flags&(format.FlagNoValue|format.FlagMore|format.FlagClosed) != 0 || n == 0 || n > 8 {
		return nil
	}
	return goval.LoadTerm([]goval.LoadPart{{Read: index, Size: n, Bits: e.Val}})
}

// updated returns the new value of an atomic operation: the argument of Store and Swap, the result
// of Add, And and Or.
func (f *Frame) updated(in *regcode.Instr, old *goval.Term, size int64) *expr.Expr {
	call, ok := in.SSA.(*ssa.Call)
	if !ok || call.Call.IsInvoke() || call.Call.StaticCallee() == nil {
		return nil
	}
	name := call.Call.StaticCallee().Name()
	last := f.operand(&in.Args[len(in.Args)-1]).Word(0)
	k := expr.Uint64
	if size == 4 {
		k = expr.Uint32
	}
	switch {
	case strings.HasPrefix(name, "Add"):
		return expr.Binary(expr.Add, k, 0, old.Word(0), last)
	case strings.HasPrefix(name, "And"):
		return expr.Binary(expr.And, k, 0, old.Word(0), last)
	case strings.HasPrefix(name, "Or"):
		return expr.Binary(expr.Or, k, 0, old.Word(0), last)
	case strings.HasPrefix(name, "Store"), strings.HasPrefix(name, "Swap"):
		return last
	}
	return nil
}

func isAdd(in *regcode.Instr) bool {
	call, ok := in.SSA.(*ssa.Call)
	return ok && call.Call.StaticCallee() != nil && strings.HasPrefix(call.Call.StaticCallee().Name(), "Add")
}

// arguments returns the values of the arguments of a call of the library.
func (f *Frame) arguments(in *regcode.Instr) []goval.Value {
	out := make([]goval.Value, len(in.Std.Args))
	for i := range out {
		out[i] = f.Value(&in.Std.Args[i])
	}
	return out
}

// resultsOf returns the terms of the results of a call of the library.
func (f *Frame) resultsOf(in *regcode.Instr) []*goval.Term {
	return in.Std.Express(f.code.Texts, f.operands(in.Std.Args))
}

// setResults gives the results of a call of the library their terms.
func (m *machine) setResults(f *Frame, in *regcode.Instr) {
	for i, t := range f.resultsOf(in) {
		size := int64(16)
		if k := in.Std.Fn.Result(i); i < len(in.Std.Fn.Results) && k != expr.String {
			size = k.Size()
		}
		r := in.Reg + int32(i)
		f.terms[r] = m.checked(t, f.regs[r], size)
	}
}
