package instrument

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// boundary writes the records of where control leaves traced code for an excluded package, and
// comes back from it. Around the bracket of an opaque call these calls are written:
//
//	g_.MethodBegin(header, package)
//	presagert_.Reach(g_, x)  // for each value passed to the call that may hold a pointer
//	g_.MethodBegun(roots)
//	…
//	g_.MethodEnd(header, package, depth)
//
// If the callee is known only at run time, they depend on g_.Leaves(target). A traced function that
// excluded code calls reports what it receives and what it returns, because excluded code reaches
// that as well (package excluded):
//
//	if g_.Back() { presagert_.Known(g_, x); … }
type boundary struct {
	unit  *unitEmitter
	plan  *plan.Func
	fn    *ssa.Function
	regs  *registers
	expr  *expressions
	rec   *records
	heap  *heapKeeper
	needs *needs
	out   *lines
}

// leave writes the text before a call that leaves traced code, or may leave it, and returns the
// text after it.
func (bd *boundary) leave(c *ssa.CallCommon, ip *plan.Instr) (end string) {
	leaves, pkg := bd.unit.plan.Leaves(ip, c)
	if leaves == plan.Stays {
		return ""
	}
	begin, done := header(format.MethodBegin, format.FlagSeen, 0, ip.Site), header(format.MethodEnd, 0, 0, ip.Site)
	bd.needs.depth = true
	if leaves == plan.Goes {
		bd.given(c, fmt.Sprintf("g_.MethodBegin(%#x, %d)", begin, pkg))
		return fmt.Sprintf("g_.MethodEnd(%#x, %d, d_)", done, pkg)
	}
	bd.out.putf("{ m_ := g_.Leaves(%s)", bd.expr.target(c, ip))
	bd.out.put("if m_ != 0 {")
	bd.given(c, fmt.Sprintf("g_.MethodBegin(%#x, m_)", begin))
	bd.out.put("}")
	return fmt.Sprintf("if m_ != 0 { g_.MethodEnd(%#x, m_, d_) }; }", done)
}

// leaveOnce writes the text before a call of a sync.Once whose function may be excluded code, and
// returns the text after it. The whole call then belongs to the excluded package.
func (bd *boundary) leaveOnce(c *ssa.CallCommon, ip *plan.Instr) (end string) {
	f := bd.unit.plan.Runs(c)
	if f == nil || bd.unit.gates {
		return ""
	}
	bd.needs.depth = true
	bd.rec.barrier()
	bd.out.putf("{ m_ := g_.Leaves(%s.Func(%s))", rtName, bd.expr.value(f))
	bd.out.put("if m_ != 0 {")
	bd.given(c, fmt.Sprintf("g_.MethodBegin(%#x, m_)", header(format.MethodBegin, format.FlagSeen, 0, ip.Site)))
	bd.out.putf("g_.Opaque(%#x)", header(opaqueBegin, 0, 0, ip.Site))
	bd.out.put("}")
	return fmt.Sprintf("if m_ != 0 { g_.OpaqueEnd(%#x, d_); g_.MethodEnd(%#x, m_, d_) }; }", header(opaqueEnd, 0, 0, ip.Site), header(format.MethodEnd, 0, 0, ip.Site))
}

// given writes the beginning of an excluded call, with the values passed to it.
func (bd *boundary) given(c *ssa.CallCommon, begin string) {
	bd.out.put(begin)
	for _, v := range givenTo(c) {
		bd.heap.keepFunc(v)
		bd.out.putf("%s.Reach(g_, %s)", rtName, bd.expr.value(v))
	}
	bd.out.putf("g_.MethodBegun(%t)", bd.unit.plan.Rooted(c))
}

// givenTo returns the values passed to a call that may hold pointers.
func givenTo(c *ssa.CallCommon) (list []ssa.Value) {
	values := c.Args
	if c.StaticCallee() == nil {
		values = append([]ssa.Value{c.Value}, values...)
	}
	for _, v := range values {
		switch v.(type) {
		case *ssa.Const, *ssa.Function, *ssa.Builtin:
			continue
		}
		if leads(v.Type()) {
			list = append(list, v)
		}
	}
	return list
}

// handsBack reports the results of a return.
func (bd *boundary) handsBack(in *ssa.Return) {
	var list []string
	for _, v := range in.Results {
		switch v.(type) {
		case *ssa.Const, *ssa.Function:
			continue
		}
		if leads(v.Type()) {
			list = append(list, bd.expr.value(v))
		}
	}
	if bd.isAround() {
		bd.out.put("g_.Frame().Over()")
	}
	bd.out.text = append(bd.out.text, bd.known(list)...)
}

// handsBackAtEnd reports the results of a function that has defers.
func (bd *boundary) handsBackAtEnd(l *lines) {
	given := "struct{}{}"
	for i := range bd.fn.Signature.Results().Len() {
		if leads(bd.fn.Signature.Results().At(i).Type()) {
			given = fmt.Sprintf("%s.Both(&%s, %s)", rtName, bd.regs.resultName(i), given)
		}
	}
	if given != "struct{}{}" && bd.fn.Recover != nil && bd.calledBack() {
		l.putf("defer %s.KnownAtEnd(f_, %s)", rtName, given)
	}
	if bd.isAround() { // it runs before that
		l.put("defer f_.Over()")
	}
}

// isGiven reports the parameters.
func (bd *boundary) isGiven() (list []string) {
	for i := range bd.plan.Params {
		if leads(bd.plan.Params[i].Val.Type()) {
			list = append(list, bd.rec.operand(&bd.plan.Params[i]))
		}
	}
	return bd.known(list)
}

func (bd *boundary) known(values []string) []string {
	if len(values) == 0 || !bd.calledBack() {
		return nil
	}
	text := "if g_.Back() { "
	for _, v := range values {
		text += fmt.Sprintf("%s.Known(g_, %s); ", rtName, v)
	}
	return []string{text + "}"}
}

// calledBack reports whether there is excluded code that may call the function.
func (bd *boundary) calledBack() bool {
	p := bd.unit.plan
	return (len(p.Missing.Packages) > 0 || p.Program.Around) && !bd.unit.gates
}

// later begins the text for a go or defer statement whose call leaves traced code, or may leave it.
// It returns the package as an expression, "" if the call stays in traced code, and the end of the
// text.
func (bd *boundary) later(c *ssa.CallCommon) (pkg, end string) {
	if bd.unit.gates {
		return "", ""
	}
	if f := bd.unit.plan.Runs(c); f != nil {
		bd.out.putf("{ m_ := g_.Leaves(%s.Func(%s))", rtName, bd.expr.value(f))
		return "m_", " }"
	}
	leaves, n, t := bd.unit.plan.LeavesLater(c)
	switch leaves {
	case plan.Stays:
		return "", ""
	case plan.Goes:
		return fmt.Sprint(n), ""
	}
	bd.out.putf("{ m_ := g_.Leaves(%s)", bd.expr.targetOf(c, t))
	return "m_", " }"
}

// goLeaves writes the records of a goroutine that begins in excluded code, with the memory that it
// can reach. Its first record is its MethodBegin.
func (bd *boundary) goLeaves(in *ssa.Go, ip *plan.Instr) {
	bd.rec.barrier()
	pkg, end := bd.later(&in.Call)
	if pkg == "" {
		return
	}
	bd.out.putf("g_.MethodGo(%#x, %s)", header(format.MethodBegin, format.FlagSeen, 0, ip.Site), pkg)
	for _, v := range givenTo(&in.Call) {
		bd.heap.keepFunc(v)
		bd.out.putf("%s.Reach(g_, %s)", rtName, bd.expr.value(v))
	}
	bd.out.putf("g_.MethodGoes(%t)%s", bd.unit.plan.Rooted(&in.Call), end)
}

// deferLeaves writes a defer statement. A call that leaves traced code is deferred between two
// calls of the recorder, of which the one deferred last runs first. The call itself is deferred, so
// recover works in it, and its caller does not change.
func (bd *boundary) deferLeaves(in *ssa.Defer, ip *plan.Instr, call func(leaves string)) {
	pkg, end := bd.later(&in.Call)
	if pkg == "" {
		call("")
		return
	}
	bd.needs.depth = true
	given := "struct{}{}"
	for _, v := range givenTo(&in.Call) {
		bd.heap.keepFunc(v)
		given = fmt.Sprintf("%s.Both(%s, %s)", rtName, bd.expr.value(v), given)
	}
	bd.out.putf("defer g_.MethodEnd(%#x, %s, d_)", header(format.MethodEnd, 0, 0, ip.Site), pkg)
	call(pkg)
	bd.out.putf("defer %s.Deferred(g_, %#x, %s, d_, %t, %s)%s", rtName, header(format.MethodBegin, format.FlagSeen, 0, ip.Site), pkg,
		bd.unit.plan.Rooted(&in.Call), given, end)
}

// isAround reports whether the memory that the function can reach is recorded when it is entered.
func (bd *boundary) isAround() bool { return !bd.unit.gates && bd.unit.plan.Around(bd.plan) }

// around records the memory that the function can reach (plan.Config.Around). The record ends when
// the function returns (Over), before the results are reported to a calling function of the same
// kind.
func (bd *boundary) around() []string {
	if !bd.isAround() {
		return nil
	}
	out := &lines{}
	out.putf("g_.MethodBegin(%#x, %d)", header(format.MethodBegin, format.FlagSeen, 0, bd.plan.Site), Around+int(bd.plan.ID))
	for i := range bd.plan.Params {
		if v := bd.plan.Params[i].Val; leads(v.Type()) {
			out.putf("%s.Reach(g_, %s)", rtName, bd.rec.operand(&bd.plan.Params[i]))
		}
	}
	for _, g := range bd.plan.Variables() {
		out.putf("%s.Reach(g_, %s)", rtName, bd.expr.value(g))
	}
	out.put("g_.MethodBegun(false)")
	return out.text
}

// Around is the number of function 0 in the MethodBegins of functions. A number has 32 bits
// (package format).
const Around = 1 << 31

// leads reports whether a value of type t may contain pointers other than those of strings.
func leads(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return leads(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if leads(u.Field(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}
