package symtrace

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

func position(f *invocation, in *regcode.Instr) string {
	pos := in.SSA.Pos()
	if !pos.IsValid() {
		for _, o := range in.SSA.Operands(nil) {
			if v := *o; v != nil && v.Parent() == in.SSA.Parent() && v.Pos().IsValid() {
				if _, ok := v.(ssa.Instruction); ok {
					pos = v.Pos()
				}
			}
		}
	}
	if !pos.IsValid() {
		return ""
	}
	p := f.Code().Plan.Unit.Pkg.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename[strings.LastIndexByte(p.Filename, '/')+1:], p.Line)
}

// symbol is the beginning of the name of an access.
func (p *printer) symbol(e *trace.Event, n int) string {
	if e.Kind.IsWrite() {
		return fmt.Sprintf("W^%d_", n)
	}
	return fmt.Sprintf("R^%d_", n)
}

// operation is a synchronisation.
func (p *printer) operation(e *trace.Event, obj string) string {
	switch {
	case e.Kind == format.Go:
		return fmt.Sprintf("go goroutine %d", e.Obj)
	case e.Kind == format.SelectDefault:
		return "default"
	case obj == "":
		obj = p.loc(uint64(e.Obj), "o")
	}
	if e.Kind == format.WGAdd {
		return fmt.Sprintf("%v(%s, %d)", e.Kind, obj, int64(e.Val))
	}
	if e.Flags&format.FlagRead != 0 && e.Kind <= format.TryFail {
		return fmt.Sprintf("r%v(%s)", e.Kind, obj)
	}
	return fmt.Sprintf("%v(%s)", e.Kind, obj)
}

// loc is the name of the object at addr.
func (p *printer) loc(addr uint64, hint string) string {
	s, ok := p.objects[addr]
	if !ok {
		if p.used[hint]++; hint == "o" || p.used[hint] > 1 {
			s = fmt.Sprintf("%s%d", hint, p.used[hint])
		} else {
			s = hint
		}
		p.objects[addr] = s
	}
	return s
}

// value returns the name of a result. A line defines it if it has a name, or is used more than
// once.
func (p *printer) value(g trace.GoID, f *invocation, in *regcode.Instr, read string) string {
	v := in.SSA.(ssa.Value)
	switch x := v.(type) {
	case *ssa.Alloc:
		return p.allocated(f, in, x)
	case *ssa.MakeChan, *ssa.MakeMap, *ssa.MakeSlice:
		if a, ok := f.Register(in.Reg).Bits(); ok {
			return p.loc(a, p.name(f, v))
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.MakeClosure:
		return p.expression(f, in)
	case *ssa.Extract:
		if r := in.Args[0].Reg; r >= 0 {
			return f.text[r+int32(in.Index)]
		}
	case *ssa.UnOp:
		if in.Op == regcode.OpLocal {
			loc := strings.TrimPrefix(p.operand(f, in, 0), "&")
			return p.local(f, loc)
		}
		if in.Op == regcode.OpPart {
			return strings.TrimPrefix(p.operand(f, in, 0), "&")
		}
	}
	text := cmp.Or(read, p.expression(f, in))
	refs := 0
	if v.Referrers() != nil {
		refs = len(*v.Referrers())
	}
	_, call := v.(*ssa.Call)
	name, isVar := p.variable(f, v)
	switch {
	case refs == 0 && read != "" || call && typed(in.SSA): // the record has a line
		if !isVar {
			return text
		}
	case refs == 0 && call:
		p.add(g, f, in, -1, func(int) string { return text }, "")
		return text
	case refs == 0, !isVar && !call && (refs == 1 || read != ""):
		return text
	}
	note := ""
	if in.Recorded {
		note = shown(v.Type(), f.Register(in.Reg))
	}
	text = p.define(g, f, in, name, bare(text), note)
	for i := range in.N {
		if i > 0 {
			f.text[in.Reg+i] = fmt.Sprintf("%s.%d", text, i)
		}
	}
	return text
}

// allocated is the address of a variable.
func (p *printer) allocated(f *invocation, in *regcode.Instr, x *ssa.Alloc) string {
	name := "o"
	if isIdent(x.Comment) && x.Comment != "new" && x.Comment != "complit" && x.Comment != "slicelit" && x.Comment != "makeslice" && x.Comment != "varargs" {
		name = x.Comment
	}
	if a, ok := f.Register(in.Reg).Bits(); ok && in.Op != regcode.OpAlloc && a >= 4096 {
		return "&" + p.loc(a, name)
	}
	maps.DeleteFunc(f.locals, func(k, _ string) bool {
		return k == name || strings.HasPrefix(k, name+".") || strings.HasPrefix(k, name+"[")
	})
	return "&" + name
}

// local returns the name of the current version of a local variable, or of a part of one.
func (p *printer) local(f *invocation, loc string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(f.locals)) {
		if strings.HasPrefix(k, loc+".") || strings.HasPrefix(k, loc+"[") {
			parts = append(parts, f.locals[k])
		}
	}
	if len(parts) > 0 {
		whole := cmp.Or(f.locals[loc], loc)
		return fmt.Sprintf("%s{%s}", whole, strings.Join(parts, ", "))
	}
	for part := loc; part != ""; {
		if s, ok := f.locals[part]; ok {
			return s + loc[len(part):]
		}
		part = part[:max(0, strings.LastIndexAny(part, ".["))]
	}
	return loc
}

// name returns the name that the source has for a value, or the register's.
func (p *printer) name(f *invocation, v ssa.Value) string {
	s, _ := p.variable(f, v)
	return s
}

// variable returns the name of the variable that the source assigns a value to. ok is false if
// there is none; name is the register then.
func (p *printer) variable(f *invocation, v ssa.Value) (name string, ok bool) {
	fn := f.Code().Plan.SSA
	m := p.vars[fn]
	if m == nil {
		m = variables(fn)
		p.vars[fn] = m
	}
	if s := m[v]; s != "" {
		return s, true
	}
	return v.Name(), false
}

// location returns the name of the location of an access.
func (p *printer) location(f *invocation, in *regcode.Instr, w *regcode.Want, addr uint64) string {
	if w.Hook.Extent == plan.Pointee && len(in.Args) > 0 {
		i := 0
		if _, ok := in.SSA.(*ssa.Call); ok {
			i = 1
		}
		if p := p.operand(f, in, i); strings.HasPrefix(p, "&") {
			return p[1:]
		}
	}
	for i, o := range in.SSA.Operands(nil) {
		if *o != nil && *o == w.Hook.Addr {
			return p.loc(addr, p.hint(f, in, i))
		}
	}
	return p.loc(addr, "o")
}

// hint returns the name of the variable that operand i of an instruction was loaded from, or "o".
func (p *printer) hint(f *invocation, in *regcode.Instr, i int) string {
	if ops := in.SSA.Operands(nil); i < len(ops) && *ops[i] != nil {
		if u, ok := (*ops[i]).(*ssa.UnOp); ok {
			if s := strings.TrimPrefix(p.text(f, u.X), "&"); isIdent(s) {
				return s
			}
		}
	}
	return "o"
}

func typed(in ssa.Instruction) bool {
	c, ok := in.(*ssa.Call)
	return ok && plan.Typed(c.Call.StaticCallee())
}

// updated is the new value of an atomic operation. result is empty if that is also what it returns.
func (p *printer) updated(f *invocation, in *regcode.Instr, old string) (text, result string) {
	name := ""
	if c, ok := in.SSA.(ssa.CallInstruction); ok && c.Common().StaticCallee() != nil {
		name = c.Common().StaticCallee().Name()
	}
	last := p.operand(f, in, len(in.Args)-1)
	switch {
	case strings.HasPrefix(name, "Add"):
		return old + " + " + last, ""
	case strings.HasPrefix(name, "And"):
		return old + " & " + last, old
	case strings.HasPrefix(name, "Or"):
		return old + " | " + last, old
	}
	return bare(last), old
}

func (p *printer) sent(f *invocation, in *regcode.Instr) string {
	switch in.SSA.(type) {
	case *ssa.Send:
		return bare(p.operand(f, in, 1))
	}
	return "…"
}

// subject names the object of a synchronisation.
func (p *printer) subject(f *invocation, in *regcode.Instr, e *trace.Event) string {
	i := 0
	if c, ok := in.SSA.(ssa.CallInstruction); ok {
		i = 1
		if c.Common().IsInvoke() || len(c.Common().Args) == 0 {
			i = -1
		}
	}
	if i >= 0 && i < len(in.Args) {
		s := p.operand(f, in, i)
		if strings.HasPrefix(s, "&") {
			s = s[1:]
			if _, ok := p.objects[uint64(e.Obj)]; !ok {
				p.objects[uint64(e.Obj)] = s
			}
			return s
		}
		return p.loc(uint64(e.Obj), p.hint(f, in, i))
	}
	return p.loc(uint64(e.Obj), "o")
}

// operand returns the name of operand i of an instruction.
func (p *printer) operand(f *invocation, in *regcode.Instr, i int) string {
	if ops := in.SSA.Operands(nil); i >= 0 && i < len(ops) && *ops[i] != nil {
		if r := in.Args[i].Reg; r >= 0 {
			return cmp.Or(f.text[r], (*ops[i]).Name())
		}
		return p.text(f, *ops[i])
	}
	return ""
}

// text returns the name of a value that is in no register.
func (p *printer) text(f *invocation, v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		switch {
		case v.Value == nil && isNilable(v.Type()):
			return "nil"
		case v.Value == nil:
			return typeName(v.Type()) + "{}"
		case v.Value.Kind() == constant.String:
			return v.Value.ExactString()
		}
		return v.Value.String()
	case *ssa.Global:
		return "&" + v.Name()
	case *ssa.Function:
		return v.Name()
	case *ssa.Builtin:
		return v.Name()
	}
	return v.Name()
}

func isNilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface, *types.Basic:
		return true
	}
	return false
}

func typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return "" })
}

// expression returns an instruction as an expression over its operands.
func (p *printer) expression(f *invocation, in *regcode.Instr) string {
	op := func(i int) string { return p.operand(f, in, i) }
	switch x := in.SSA.(type) {
	case *ssa.BinOp:
		return fmt.Sprintf("(%s %s %s)", op(0), x.Op, op(1))
	case *ssa.UnOp:
		if in.Op == regcode.OpLoad {
			return "*" + op(0)
		}
		return x.Op.String() + op(0)
	case *ssa.ChangeType:
		return op(0)
	case *ssa.Convert, *ssa.MultiConvert:
		return fmt.Sprintf("%s(%s)", typeName(x.(ssa.Value).Type()), bare(op(0)))
	case *ssa.MakeInterface, *ssa.ChangeInterface:
		return op(0)
	case *ssa.FieldAddr:
		s, _ := plan.Core(regcode.Pointee(x.X.Type())).(*types.Struct)
		return "&" + p.base(f, in) + "." + s.Field(x.Field).Name()
	case *ssa.Field:
		s, _ := plan.Core(x.X.Type()).(*types.Struct)
		return op(0) + "." + s.Field(x.Field).Name()
	case *ssa.IndexAddr:
		i := bare(op(1))
		if n, ok := f.Value(&in.Args[1]).Bits(); ok {
			i = fmt.Sprint(goval.Signed(in.Kind2, n))
		}
		return fmt.Sprintf("&%s[%s]", p.base(f, in), i)
	case *ssa.Index, *ssa.Lookup:
		return fmt.Sprintf("%s[%s]", op(0), bare(op(1)))
	case *ssa.Slice:
		return fmt.Sprintf("%s[%s:%s]", strings.TrimPrefix(op(0), "&"), bare(op(1)), bare(op(2)))
	case *ssa.TypeAssert:
		return fmt.Sprintf("%s.(%s)", op(0), typeName(x.AssertedType))
	case *ssa.MakeClosure:
		return x.Fn.Name()
	case *ssa.Select:
		return "select"
	case *ssa.Range, *ssa.Next:
		return strings.TrimPrefix(fmt.Sprintf("%T", x), "*ssa.") + "(" + op(0) + ")"
	case ssa.CallInstruction:
		return p.call(f, in, x.Common())
	}
	if v, ok := in.SSA.(ssa.Value); ok {
		return v.Name()
	}
	return in.SSA.String()
}

// base returns the name of the object that in computes an address in.
func (p *printer) base(f *invocation, in *regcode.Instr) string {
	if s := p.operand(f, in, 0); strings.HasPrefix(s, "&") {
		return s[1:]
	}
	if in.Op == regcode.OpPart {
		return p.operand(f, in, 0)
	}
	if a, ok := f.Value(&in.Args[0]).Bits(); ok {
		return p.loc(a, "o")
	}
	return p.operand(f, in, 0)
}

// call returns a call that is not walked, as text.
func (p *printer) call(f *invocation, in *regcode.Instr, c *ssa.CallCommon) string {
	var args []string
	for i := range in.Args[1:] {
		if i < len(c.Args) {
			args = append(args, bare(p.operand(f, in, i+1)))
		}
	}
	name := p.operand(f, in, 0)
	switch callee := c.StaticCallee(); {
	case callee != nil:
		name = callee.RelString(in.SSA.Parent().Package().Pkg)
	case c.IsInvoke():
		name += "." + c.Method.Name()
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
}

// bare drops the parentheses of an expression that stands alone.
func bare(s string) string {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return s
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return s
			}
		}
	}
	return s[1 : len(s)-1]
}

// shown returns a recorded value as text, "" if its type has no readable form.
func shown(t types.Type, v goval.Value) string {
	a, ok := v.Bits()
	b, basic := t.Underlying().(*types.Basic)
	if !ok || !basic {
		return ""
	}
	switch k := goval.KindOf(b); {
	case k == types.Bool:
		return fmt.Sprint(a&1 == 1)
	case k == types.Float32:
		return fmt.Sprint(goval.Float32Of(a))
	case k == types.Float64:
		return fmt.Sprint(goval.Float64Of(a))
	case goval.IsSigned(k):
		return fmt.Sprint(goval.Signed(k, a))
	case goval.IsInteger(k):
		return fmt.Sprint(a)
	}
	return ""
}
