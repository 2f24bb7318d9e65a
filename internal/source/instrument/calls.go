package instrument

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// call writes a call expression.
func (b *body) call(c *ssa.CallCommon) string {
	if bi, ok := c.Value.(*ssa.Builtin); ok {
		return b.builtin(bi.Name(), c.Args)
	}
	if c.IsInvoke() {
		b.mustName(c.Method)
		return b.receiver(c.Value) + "." + c.Method.Name() + b.args(c, c.Args)
	}
	if fn := c.StaticCallee(); fn != nil && fn.Signature.Recv() != nil {
		if _, closure := c.Value.(*ssa.MakeClosure); !closure {
			o := origin(fn).Object()
			if o == nil {
				refuse("method without a declaration")
			}
			b.mustName(o)
			return b.selector(c.Args[0]) + "." + o.Name() + b.args(c, c.Args[1:])
		}
	}
	fn := b.hidden(c.Value)
	if strings.Contains(fn, "\n") { // a literal: the call has the line of its parenthesis
		fn += b.out.comment()
	}
	return fn + b.args(c, c.Args)
}

// receiver writes an interface of which a method is called, so that the compiler does not see what
// is in it: it would call the method of that type, perhaps inline, and not what Dynamic has been
// told.
func (b *body) receiver(v ssa.Value) string {
	if !b.gates {
		switch x := v.(type) {
		case *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Phi, *ssa.FreeVar:
			return rtName + ".Same(" + b.value(v) + ")"
		case *ssa.UnOp: // of a variable, into which the compiler may have seen it being put
			switch x.X.(type) {
			case *ssa.FreeVar, *ssa.Alloc:
				return rtName + ".Same(" + b.value(v) + ")"
			}
		}
	}
	return b.selector(v)
}

// mustName refuses a method that source in this package cannot name.
func (b *body) mustName(o types.Object) {
	if !o.Exported() && o.Pkg().Path() != b.pkg.Types.Path() {
		refuse("unexported method of another package")
	}
	if o.Name() == "_" {
		refuse("blank method")
	}
}

func (b *body) args(c *ssa.CallCommon, args []ssa.Value) string {
	var s []string
	for _, a := range args {
		s = append(s, b.value(a))
	}
	dots := ""
	if c.Signature().Variadic() {
		dots = "..."
	}
	return "(" + strings.Join(s, ", ") + dots + ")"
}

func (b *body) builtin(name string, args []ssa.Value) string {
	var s []string
	for _, a := range args {
		if name == "append" || name == "copy" {
			s = append(s, b.value(a))
		} else {
			s = append(s, b.hidden(a))
		}
	}
	list := strings.Join(s, ", ")
	switch name {
	case "append":
		return "append(" + list + "...)"
	case "Add", "Slice", "String", "StringData", "SliceData", "Sizeof", "Alignof":
		return unsafeName + "." + name + "(" + list + ")"
	}
	if strings.HasPrefix(name, "ssa:") || name == "Offsetof" {
		refuse("builtin " + name)
	}
	return name + "(" + list + ")"
}

// function writes a function as a value: by name, as a method expression, or a literal in place.
func (b *body) function(fn *ssa.Function) string {
	if strings.HasPrefix(fn.Synthetic, "thunk for") {
		b.mustName(fn.Object())
		return b.conv(fn.Params[0].Type()) + "." + fn.Object().Name()
	}
	if strings.HasPrefix(fn.Synthetic, "bound") {
		refuse("bound method without its receiver")
	}
	if fn.Parent() != nil {
		return b.staticLiteral(fn)
	}
	o, _ := origin(fn).Object().(*types.Func)
	if o == nil {
		refuse("function without a declaration")
	}
	if fn.Signature.Recv() != nil {
		b.mustName(o)
		return b.conv(fn.Signature.Recv().Type()) + "." + o.Name()
	}
	var targs []string
	for _, t := range fn.TypeArgs() {
		targs = append(targs, b.typ(t))
	}
	inst := ""
	if len(targs) > 0 {
		inst = "[" + strings.Join(targs, ", ") + "]"
	}
	if o.Pkg().Path() == b.pkg.Types.Path() {
		b.uses[o.Name()] = true
		return o.Name() + inst
	}
	if !o.Exported() {
		refuse("unexported function of another package")
	}
	return b.importName(o.Pkg()) + "." + o.Name() + inst
}

func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// emitCall writes a call with its hooks.
func (b *body) emitCall(in *ssa.Call, ip *plan.Instr) {
	if bi, ok := in.Call.Value.(*ssa.Builtin); ok {
		switch bi.Name() {
		case "ssa:deferstack":
			return
		case "len":
			if len(ip.After) == 1 && ip.After[0].Kind == chanLen {
				b.emitChanLen(in, ip)
				return
			}
		}
	}
	expr := b.call(&in.Call)
	if ip.Target == plan.FuncValue && in.Call.StaticCallee() != nil && !b.gates { // as in receiver
		expr = rtName + ".Same(" + b.value(in.Call.Value) + ")" + b.args(&in.Call, in.Call.Args)
	}
	once := b.leaveOnce(&in.Call, ip)
	b.before(ip)
	var end string
	if ip.Opaque && !b.gates {
		b.barrier()
		end = b.leave(&in.Call, ip)
		b.maybeTyped(&in.Call, ip, end != "")
		b.opaqueCall(in, ip)
		if ip.Maybe {
			b.out.put("}")
		}
	}
	b.out.put(b.assignTo(in) + expr)
	b.barrier()
	if bi, ok := in.Call.Value.(*ssa.Builtin); ok && bi.Name() == "append" {
		b.keep(in)
	}
	b.keepAlive(&in.Call)
	if ip.Opaque && !b.gates {
		b.opaque = true
		opaqueEnd := fmt.Sprintf("g_.OpaqueEnd(%#x, d_)", header(opaqueEnd, 0, 0, ip.Site))
		if ip.Maybe {
			opaqueEnd = fmt.Sprintf("if !o_ { %s }; }", opaqueEnd)
		}
		b.out.put(opaqueEnd)
		if end != "" {
			b.out.put(end)
		}
	}
	if once != "" {
		b.out.put(once)
	}
	b.after(ip)
	if b.gates && plan.Fed(&in.Call) {
		b.feed(ip)
	}
}

// opaqueCall writes the beginning of a call whose callee is not known to be instrumented.
func (b *body) opaqueCall(in *ssa.Call, ip *plan.Instr) {
	h := header(opaqueBegin, 0, 0, ip.Site)
	if target := b.target(&in.Call, ip); target != "" {
		b.out.putf("g_.Dynamic(%#x, %s)", h, target)
	} else {
		b.out.putf("g_.Opaque(%#x)", h)
	}
}

// maybeTyped writes what comes before the beginning of a call that may be one of a typed operation:
//
//	{ o_ := presagert_.TypedMethod(g_, site, x, 0)
//	if !o_ { … }
//	x.Lock()
//	if !o_ { … }; }
//
// It is none if it leaves traced code.
func (b *body) maybeTyped(c *ssa.CallCommon, ip *plan.Instr, leaves bool) {
	if !ip.Maybe {
		return
	}
	stays := ""
	if leaves {
		stays = "m_ == 0 && "
	}
	b.out.putf("{ o_ := %s%s", stays, b.isTyped(c, ip.Site))
	b.out.put("if !o_ {")
}

// isTyped writes the question whether a call is one of a typed operation.
func (b *body) isTyped(c *ssa.CallCommon, site trace.Site) string {
	x := b.value(c.Value)
	switch {
	case plan.MethodOfParam(c):
		return fmt.Sprintf("%s.TypedParam(g_, %d, %s, %q)", rtName, site, x, c.Method.Name())
	case c.IsInvoke():
		i := c.Value.Type().Underlying().(*types.Interface)
		return fmt.Sprintf("%s.TypedMethod(g_, %d, %s, %d)", rtName, site, x, plan.MethodIndex(i, c.Method))
	}
	return fmt.Sprintf("%s.TypedFunc(g_, %d, %s)", rtName, site, x)
}

// target writes where the code begins that a call enters, "" if that is known.
func (b *body) target(c *ssa.CallCommon, ip *plan.Instr) string { return b.targetOf(c, ip.Target) }

func (b *body) targetOf(c *ssa.CallCommon, t plan.Target) string {
	switch t {
	case plan.FuncValue:
		return fmt.Sprintf("%s.Func(%s)", rtName, b.value(c.Value))
	case plan.MethodValue:
		i := c.Value.Type().Underlying().(*types.Interface)
		return fmt.Sprintf("%s.Method(%s, %d)", rtName, b.value(c.Value), plan.MethodIndex(i, c.Method))
	}
	return ""
}

// assignTo writes the left side of an assignment to the register or registers of v.
func (b *body) assignTo(v ssa.Value) string {
	t, ok := v.Type().(*types.Tuple)
	if !ok {
		return b.names[v] + " = "
	}
	var names []string
	for i := range t.Len() {
		names = append(names, b.component(v, i))
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " = "
}
