package walk

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
)

// Values of alternatives: terms, what they can be, and the instructions that compute.

// symbolic is a term as a value: known if it does not change, nothing if none of it is known.
func symbolic(t *term) sval {
	if t == nil {
		return sval{}
	}
	known := false
	for _, e := range t.words {
		if e != nil && !e.IsConst() {
			return sval{t: t}
		}
		known = known || e != nil
	}
	switch {
	case t.text != nil && !t.text.IsConst(), t.null != nil && !isNil(t.word(0)):
		return sval{t: t}
	case !known && t.text == nil:
		return sval{}
	}
	v, _ := recordedOf(t)
	return sval{v: v}
}

// term is a value as a term.
func (s *sval) term() *term {
	if s.symbolic() {
		return s.t
	}
	return fixed(s.v)
}

// readsOf are the reads of a term, by number.
func readsOf(t *term) []*expr.Expr {
	var reads []*expr.Expr
	for _, e := range t.words {
		if e != nil {
			reads = append(reads, e.Reads()...)
		}
	}
	slices.SortFunc(reads, func(a, b *expr.Expr) int { return cmp.Compare(a.Number(), b.Number()) })
	return slices.CompactFunc(reads, func(a, b *expr.Expr) bool { return a.Number() == b.Number() })
}

// recordedOf is a term's value in the recorded run. ok is false if a word that it has a term for
// has none.
func recordedOf(t *term) (v Value, ok bool) {
	return t.value(func(e *expr.Expr) (uint64, bool) { return e.Recorded() })
}

// value puts the words of a value together.
func (t *term) value(of func(*expr.Expr) (uint64, bool)) (v Value, ok bool) {
	words := make([]uint64, max(1, len(t.words)))
	known := uint64(0)
	for i, e := range t.words {
		if e == nil {
			continue
		}
		if words[i], ok = of(e); !ok {
			return Value{}, false
		}
		known |= 1 << min(i, 63)
	}
	if v = Words(words); len(words) > 63 && known>>63 != 0 { // bit 63 stands for all the rest
		for _, e := range t.words[63:] {
			if e == nil {
				known &^= 1 << 63
			}
		}
	}
	v.known = known
	if t.text != nil {
		if s, ok := t.text.RecordedText(); ok && t.text.IsConst() {
			v = v.withText(s)
		}
	}
	return v, true
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

// guard is the condition t = v, a guard for each word that changes.
func (p *path) guard(t *term, v Value) (guards []flow.Guard, ok bool) {
	for i := range v.words() {
		want, ok := v.Word(i)
		e := t.word(i)
		if !ok || e == nil {
			return nil, false
		}
		if e.IsConst() {
			if !amounts(e, want, mask(8)) {
				return nil, false
			}
			continue
		}
		guards = append(guards, flow.Guard{Term: e, Want: want})
	}
	return guards, true
}

// values are what a term can be, by what its reads may see (A3).
func (p *path) values(t *term) []Value {
	reads := readsOf(t)
	may := make([][]uint64, len(reads))
	total := 1
	for k, r := range reads {
		recorded, _ := r.Recorded()
		may[k] = p.seen(r.Number(), recorded)
		total *= len(may[k])
		if total == 0 || total > maxCombined {
			return nil
		}
	}
	var out []Value
	in := make(map[int64]uint64, len(reads))
	add := func() {
		v, ok := t.value(func(e *expr.Expr) (uint64, bool) {
			return p.eval.Eval(e, func(n int64) (uint64, bool) { return in[n], true })
		})
		if ok && !slices.ContainsFunc(out, func(x Value) bool { return sameValue(x, v) }) {
			out = append(out, v)
		}
	}
	for _, words := range p.together(reads) {
		for k, r := range reads {
			in[r.Number()] = words[k]
		}
		add()
	}
	for n := range total {
		for k, r := range reads {
			in[r.Number()], n = may[k][n%len(may[k])], n/len(may[k])
		}
		add()
	}
	return out
}

// together are what several reads may return at one time: a slice's words are those of one slice,
// unless others change them between.
func (p *path) together(reads []*expr.Expr) [][]uint64 {
	if len(reads) < 2 {
		return nil
	}
	places := make([]flow.Word, len(reads))
	for k, r := range reads {
		n := r.Number()
		if n >= flow.AlternativeBase {
			e := &p.steps[n-flow.AlternativeBase].Event
			if !e.Kind.IsAccess() {
				return nil
			}
			places[k] = flow.Word{Addr: uint64(e.Obj), Size: int64(e.Size)}
			continue
		}
		addr, size, ok := p.s.At(n)
		if !ok {
			places[k].Fixed, _ = r.Recorded()
			continue
		}
		places[k] = flow.Word{Addr: addr, Size: int64(size)}
	}
	return p.s.Together(places)
}

// seen are the words that a read may return.
func (p *path) seen(r int64, recorded uint64) []uint64 {
	if r >= flow.AlternativeBase {
		e := &p.steps[r-flow.AlternativeBase].Event
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

// pieceOf is size bytes at offset at of a value.
func pieceOf(s sval, at, size int64) sval {
	if !s.symbolic() {
		return sval{v: s.v.part(at, size)}
	}
	return bounded(s.t.part(at, size))
}

// bounded is symbolic, without the words that are too large.
func bounded(t *term) sval {
	if t == nil {
		return sval{}
	}
	for i, e := range t.words {
		if e != nil && tooLarge(e) {
			t = t.without(i)
		}
	}
	return symbolic(t.known())
}

// other executes what is neither control nor memory.
func (p *path) other(in *instr) bool {
	if call, ok := in.in.(*ssa.Call); ok {
		switch {
		case in.std != nil:
			return p.std(in)
		case plan.Idle(&call.Call):
			p.frame.ip++
			return true
		}
	}
	if call, ok := in.in.(*ssa.Call); ok && in.dynamic {
		return p.enters(in, &call.Call, p.operands(in), nil, false)
	}
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
		return p.makeClosure(in, x)
	case *ssa.MakeInterface:
		return p.makeInterface(in, x)
	case *ssa.ChangeInterface:
		return p.changeInterface(in, x.Type())
	case *ssa.TypeAssert:
		return p.typeAssert(in, x)
	case *ssa.ChangeType:
		if p.changesInterface(in, x) {
			return p.changeInterface(in, x.Type())
		}
		return p.compute(in)
	case *ssa.BinOp, *ssa.Convert, *ssa.Extract, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Slice:
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
	case *ssa.Select:
		return p.selects(in, x)
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
		terms := make([]*term, len(args))
		for i := range args {
			terms[i] = args[i].term()
		}
		return p.next(in, bounded(code.express(in, terms)))
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

// checked makes the implicit checks of an instruction (A4), whose operands are known by now, and
// says why it cannot go on.
func (p *path) checked(in *instr, args []sval) string {
	switch x := in.in.(type) {
	case *ssa.FieldAddr:
		if p.frame.code.plan.Local(x.X) { // no memory, and no address
			return ""
		}
		return isPointer(args[0].v)
	case *ssa.IndexAddr:
		n, ok := lengthOf(in, args[0].v)
		if !ok {
			return "unknown-length"
		}
		if _, ok := plan.Core(in.typ).(*types.Pointer); ok && !p.frame.code.plan.Local(x.X) {
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
