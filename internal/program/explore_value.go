package program

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"presage/internal/plan"
	"presage/internal/window"
)

// Values of alternatives: terms, what they can be, and the instructions that compute.

// readsOf are the reads of a term, ascending.
func readsOf(t *term) []int64 {
	s := &symbol{t: t}
	s.collect(t)
	return s.reads
}

// symbolOf is word i of a term, nil if it rests on too many reads.
func symbolOf(t *term, i int) *symbol {
	s := &symbol{t: t, word: i}
	if !s.collect(t) {
		return nil
	}
	return s
}

// recordedOf is a term's value in the recorded run.
func recordedOf(t *term) (Value, bool) {
	s := symbolOf(t, 0)
	if s == nil {
		return Value{}, false
	}
	return s.value(s.vals)
}

// value is the whole value of a symbol's term.
func (s *symbol) value(in []uint64) (Value, bool) {
	e := evaluation{read: func(r int64) uint64 {
		i, _ := slices.BinarySearch(s.reads, r)
		return in[i]
	}}
	return e.eval(s.t)
}

func sameValue(a, b Value) bool {
	n := a.words()
	if n != b.words() {
		return false
	}
	for i := range n {
		x, ok := a.Word(i)
		y, ok2 := b.Word(i)
		if !ok || !ok2 || x != y {
			return false
		}
	}
	return true
}

func (v Value) words() int {
	if v.more == nil {
		return 1
	}
	return 1 + len(v.more.words)
}

// guard is the condition t = v, a guard for each word.
func (p *path) guard(t *term, v Value) (guards []window.FlowGuard, ok bool) {
	for i := range v.words() {
		want, ok := v.Word(i)
		s := symbolOf(t, i)
		if !ok || s == nil {
			return nil, false
		}
		guards = append(guards, window.FlowGuard{Term: s, Want: want})
	}
	return guards, true
}

// values are what a term can be, by what its reads may see (A3).
func (p *path) values(t *term) []Value {
	s := symbolOf(t, 0)
	if s == nil {
		return nil
	}
	may := make([][]uint64, len(s.reads))
	total := 1
	for k, r := range s.reads {
		may[k] = p.seen(r, s.vals[k])
		total *= len(may[k])
		if total == 0 || total > maxCombined {
			return nil
		}
	}
	var out []Value
	in := make([]uint64, len(s.reads))
	for n := range total {
		for k := range may {
			in[k], n = may[k][n%len(may[k])], n/len(may[k])
		}
		v, ok := s.value(in)
		if ok && !slices.ContainsFunc(out, func(x Value) bool { return sameValue(x, v) }) {
			out = append(out, v)
		}
	}
	return out
}

// seen are the words that a read may return.
func (p *path) seen(r int64, recorded uint64) []uint64 {
	if r >= window.AlternativeBase {
		e := &p.steps[r-window.AlternativeBase].Event
		if !e.Kind.IsAccess() {
			return nil
		}
		list := slices.Clone(p.s.Values(uint64(e.Obj), int64(e.Size)))
		for i := range p.mem {
			if m := &p.mem[i]; m.addr == uint64(e.Obj) && m.size == int64(e.Size) && !m.val.symbolic() {
				if v, ok := m.val.v.Bits(); ok && !slices.Contains(list, v) {
					list = append(list, v)
				}
			}
		}
		return list
	}
	addr, size, ok := p.s.At(r)
	if !ok {
		return []uint64{recorded}
	}
	list := p.s.Values(addr, int64(size))
	if !slices.Contains(list, recorded) {
		list = append([]uint64{recorded}, list...)
	}
	return list
}

// operate is the term of an operation over symbolic operands; neither known nor a term if one of them is neither.
func operate(args []sval, apply func([]Value) (Value, bool)) sval {
	t := &term{apply: apply, size: 1}
	for _, a := range args {
		t.args = append(t.args, termArg{t: a.t, v: a.v})
		if a.t != nil {
			t.size += a.t.size
		}
	}
	if t.size > maxTerm {
		return sval{}
	}
	return sval{t: t}
}

// pieceOf is size bytes at offset at of a value.
func pieceOf(s sval, at, size int64) sval {
	if !s.symbolic() {
		return sval{v: s.v.part(at, size)}
	}
	return operate([]sval{s}, func(v []Value) (Value, bool) {
		x := v[0].part(at, size)
		return x, x.known != 0
	})
}

// other executes what is neither control nor memory.
func (p *path) other(in *instr) bool {
	if slices.ContainsFunc(in.wants, func(w want) bool { return w.kind == wantBegin }) {
		return p.stop("opaque-call")
	}
	switch x := in.in.(type) {
	case *ssa.Alloc:
		if in.recorded {
			return p.allocate(in, p.frame.code.sizes.Sizeof(pointee(x.Type())))
		}
	case *ssa.MakeSlice:
		return p.makeSlice(in, x)
	case *ssa.MakeClosure:
		c := &xclosure{fn: x.Fn.(*ssa.Function)}
		p.fresh++
		return p.next(in, sval{v: Known(freshMemory + p.fresh*freshSize), fn: c})
	case *ssa.MakeInterface, *ssa.ChangeInterface:
		return p.next(in, sval{})
	case *ssa.BinOp, *ssa.ChangeType, *ssa.Convert, *ssa.Extract, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Slice:
		return p.compute(in)
	case *ssa.UnOp:
		if x.Op != token.ARROW {
			return p.compute(in)
		}
		return p.receive(in, x)
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			return p.builtin(in, b.Name())
		}
		if plan.Typed(x.Call.StaticCallee()) {
			return p.typed(in, &x.Call, p.operands(in))
		}
	case *ssa.Go:
		return p.spawn(in, &x.Call)
	case *ssa.Send:
		return p.send(in)
	}
	return p.touched(in)
}

func (p *path) operands(in *instr) []sval {
	args := make([]sval, len(in.args))
	for i := range in.args {
		args[i] = p.val(&in.args[i])
	}
	return args
}

// builtin executes the builtins without effect.
func (p *path) builtin(in *instr, name string) bool {
	switch name {
	case "len", "cap":
		switch plan.Core(in.typ).(type) {
		case *types.Map, *types.Chan:
			return p.touched(in)
		}
	case "min", "max", "real", "imag", "complex", "ssa:wrapnilchk":
	case "close":
		return p.sync(in, closing, p.operands(in)[1], 0)
	default:
		return p.touched(in)
	}
	return p.compute(in)
}

// compute executes an instruction that is a function of its operands.
func (p *path) compute(in *instr) bool {
	if in.extract {
		p.frame.regs[in.reg] = p.frame.regs[in.args[0].reg+int32(in.index)]
		p.frame.ip++
		return true
	}
	args := p.operands(in)
	if why := p.checked(in, args); why != "" {
		return p.stop(why)
	}
	code := p.frame.code
	if slices.ContainsFunc(args, func(s sval) bool { return s.symbolic() }) {
		if slices.ContainsFunc(args, func(s sval) bool { return !s.symbolic() && s.v.known == 0 && s.v.more == nil }) && !noOperand(in, args) {
			return p.next(in, sval{})
		}
		return p.next(in, operate(args, func(v []Value) (Value, bool) {
			r, err := code.eval(in, v)
			return r, err == nil && r.known != 0
		}))
	}
	vals := make([]Value, len(args))
	for i := range args {
		vals[i] = args[i].v
	}
	v, err := code.eval(in, vals)
	if err != nil {
		return p.stop("panic")
	}
	return p.next(in, sval{v: v})
}

// noOperand reports whether what is not known of the operands is only a callee or a bound that is not there.
func noOperand(in *instr, args []sval) bool {
	ops := in.in.Operands(nil)
	for i := range args {
		if args[i].symbolic() || args[i].v.known != 0 {
			continue
		}
		if *ops[i] == nil {
			continue
		}
		if _, ok := (*ops[i]).(*ssa.Builtin); ok {
			continue
		}
		return false
	}
	return true
}

// checked makes the implicit checks of an instruction (A4), whose operands are known by now, and says why it cannot go on.
func (p *path) checked(in *instr, args []sval) string {
	switch x := in.in.(type) {
	case *ssa.FieldAddr:
		return isPointer(args[0].v)
	case *ssa.IndexAddr:
		n, ok := lengthOf(in, args[0].v)
		if !ok {
			return "unknown-length"
		}
		if _, ok := plan.Core(in.typ).(*types.Pointer); ok {
			if why := isPointer(args[0].v); why != "" {
				return why
			}
		}
		return within(in.kind2, args[1].v, n)
	case *ssa.Index:
		n, ok := lengthOf(in, args[0].v)
		if !ok || args[0].symbolic() {
			return "unknown-length"
		}
		return within(in.kind2, args[1].v, n)
	case *ssa.Slice:
		return sliceable(in, x, args)
	case *ssa.BinOp:
		return p.checkedBinOp(in, x, args)
	case *ssa.Convert:
		if in.kind == types.Invalid && !isWord(x.X.Type()) {
			return "conversion"
		}
	}
	return ""
}

func (p *path) checkedBinOp(in *instr, x *ssa.BinOp, args []sval) string {
	switch x.Op {
	case token.QUO, token.REM:
		if pinnedBinOp(x) == 0 {
			return ""
		}
		if d, ok := args[1].v.Bits(); !ok {
			return "unknown-divisor"
		} else if d == 0 {
			return "panic"
		}
	case token.SHL, token.SHR:
		if pinnedBinOp(x) == 0 {
			return ""
		}
		if n, ok := args[1].v.Bits(); !ok || signed(in.kind2, n) < 0 {
			return "panic"
		}
	}
	return ""
}

// sliceable checks the bounds of x[lo:hi:max], 0 ≤ lo ≤ hi ≤ max ≤ capacity.
func sliceable(in *instr, s *ssa.Slice, args []sval) string {
	ptr, n, limit := in.sliced(args[0].v)
	capacity, ok := limit.Bits()
	if in.kind == types.String {
		capacity, ok = n.Bits()
	}
	if !ok {
		return "unknown-length"
	}
	if _, ok := plan.Core(in.typ).(*types.Pointer); ok {
		if why := isPointer(ptr); why != "" {
			return why
		}
	}
	bounds := []uint64{0}
	for i, v := range []ssa.Value{s.Low, s.High, s.Max} {
		switch {
		case v != nil:
			b, ok := extend(v, args[1+i].v).Bits()
			if !ok {
				return "unknown-index"
			}
			bounds = append(bounds, b)
		case i == 1:
			b, ok := n.Bits()
			if !ok {
				return "unknown-length"
			}
			bounds = append(bounds, b)
		}
	}
	for i, b := range append(bounds, capacity) {
		if i > 0 && (b < bounds[i-1] || int64(b) < 0) {
			return "panic"
		}
	}
	return ""
}

// isPointer checks for nil.
func isPointer(v Value) string {
	a, ok := v.Bits()
	switch {
	case !ok:
		return "unknown-address"
	case a < 4096:
		return "panic"
	}
	return ""
}

// lengthOf is the length of what is indexed.
func lengthOf(in *instr, x Value) (uint64, bool) {
	switch u := plan.Core(pointee(in.typ)).(type) {
	case *types.Array:
		return uint64(u.Len()), true
	case *types.Slice:
		return x.part(8, 8).Bits()
	case *types.Basic:
		return x.part(8, 8).Bits()
	}
	return 0, false
}

// within checks an index.
func within(kind types.BasicKind, i Value, n uint64) string {
	at, ok := i.Bits()
	switch {
	case !ok:
		return "unknown-index"
	case signed(kind, at) < 0 || uint64(signed(kind, at)) >= n:
		return "panic"
	}
	return ""
}
