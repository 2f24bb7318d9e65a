package instrument

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"presage/internal/plan"
)

// emitGo writes a go statement.
func (b *body) emitGo(in *ssa.Go, ip *plan.Instr) {
	b.mustBeStatement(&in.Call)
	call := b.call(&in.Call)
	b.before(ip)
	b.out.put("go " + call)
	b.barrier()
}

// emitDefer writes a defer statement. Typed operations are deferred through a helper
// that tells the recorder their site; the others must be called by the runtime itself, or recover would not work in them.
func (b *body) emitDefer(in *ssa.Defer, ip *plan.Instr) {
	if in.DeferStack != nil {
		refuse("defer in the body of a range over a function")
	}
	b.mustBeStatement(&in.Call)
	if plan.TypedDefer(&in.Call) && !in.Call.IsInvoke() && b.deferHelper(in, ip) {
		return
	}
	b.out.put("defer " + b.call(&in.Call))
}

// mustBeStatement refuses the builtins that Go does not allow as statements.
func (b *body) mustBeStatement(c *ssa.CallCommon) {
	if bi, ok := c.Value.(*ssa.Builtin); ok {
		switch bi.Name() {
		case "close", "copy", "delete", "clear", "panic", "print", "println", "recover":
		default:
			refuse("go or defer of " + bi.Name())
		}
	}
}

// deferHelper defers the call through a function of the emitted file: func(g, site, operands…). It reports
// whether it did; operands whose types depend on type parameters have no such function.
func (b *body) deferHelper(in *ssa.Defer, ip *plan.Instr) bool {
	c := &in.Call
	var params, names, args []string
	for i, a := range c.Args {
		if plan.Open(a.Type()) {
			return false
		}
		name := fmt.Sprintf("a%d_", i)
		params = append(params, name+" "+b.typ(a.Type()))
		names = append(names, name)
		args = append(args, b.value(a))
	}
	var call string
	if bi, ok := c.Value.(*ssa.Builtin); ok {
		call = bi.Name() + "(" + strings.Join(names, ", ") + ")"
	} else if fn := c.StaticCallee(); fn.Signature.Recv() != nil {
		call = names[0] + "." + origin(fn).Object().Name() + "(" + strings.Join(names[1:], ", ") + ")"
	} else {
		call = b.function(fn) + "(" + strings.Join(names, ", ") + ")"
	}
	helper := b.helper(fmt.Sprintf("(g_ *%s.G, site uint32, %s) { g_.Call(site); %s }", rtName, strings.Join(params, ", "), call))
	b.out.putf("defer %s(g_, %d, %s)", helper, ip.Site, strings.Join(args, ", "))
	return true
}

// helper returns the name of the package-level function with this signature and body.
func (f *fileEmitter) helper(text string) string {
	name, ok := f.helpers[text]
	if !ok {
		name = fmt.Sprintf("presage_defer%d_%d_", f.index, len(f.helpers))
		f.helpers[text] = name
	}
	return name
}
