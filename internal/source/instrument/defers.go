package instrument

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// emitGo writes a go statement.
func (b *body) emitGo(in *ssa.Go, ip *plan.Instr) {
	b.mustBeStatement(&in.Call)
	b.mustKeepAlive(&in.Call)
	call := b.call(&in.Call)
	b.goLeaves(in, ip)
	b.before(ip)
	b.out.put("go " + call)
	b.barrier()
}

// emitDefer writes a defer statement. Typed operations are deferred through a helper that tells the
// recorder their site; the others must be called by the runtime itself, or recover would not work
// in them.
func (b *body) emitDefer(in *ssa.Defer, ip *plan.Instr) {
	b.mustBeStatement(&in.Call)
	b.mustKeepAlive(&in.Call)
	if bi, ok := in.Call.Value.(*ssa.Builtin); ok && bi.Name() == "recover" {
		refuse("defer recover(), whose frame would not be the same")
	}
	if plan.TypedDefer(&in.Call) {
		b.deferLeaves(in, ip, func(string) { b.deferHelper(in, ip) })
		return
	}
	call := b.call(&in.Call)
	b.deferLeaves(in, ip, func(leaves string) {
		if b.fileEmitter.plan.MaybeTyped(&in.Call) {
			b.deferMaybe(in, ip, call, leaves)
			return
		}
		if fn := in.Call.StaticCallee(); b.defersMaybe() && b.fileEmitter.plan.Func(fn) == nil {
			b.out.put("u_ = true")
		}
		b.out.put("defer " + call)
	})
}

// defersMaybe reports whether the function defers a call that may be one of a typed operation.
func (b *body) defersMaybe() bool {
	for _, blk := range b.fn.Blocks {
		for _, in := range blk.Instrs {
			if d, ok := in.(*ssa.Defer); ok && !b.gates && b.fileEmitter.plan.MaybeTyped(&d.Call) {
				return true
			}
		}
	}
	return false
}

// deferMaybe defers a call that may be one of a typed operation: then the recorder is told its
// site right before it. The runtime itself calls it, or recover would not work in it. leaves is
// the package that it leaves traced code for, "" if it does not.
func (b *body) deferMaybe(in *ssa.Defer, ip *plan.Instr, call, leaves string) {
	if b.gates {
		b.out.putf("defer %s.Done(%d); defer %s; defer %[1]s.Gate(%[2]d)", rtName, ip.Site, call)
		return
	}
	stays := ""
	if leaves != "" {
		stays = leaves + " == 0 && "
	}
	b.out.putf("{ o_ := %s%s", stays, b.isTyped(&in.Call, 0))
	b.out.put("u_ = u_ || !o_")
	b.out.put("defer " + call)
	b.out.putf("defer g_.CallTyped(%d, o_) }", ip.Site)
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

// deferHelper defers the call through a function of the emitted file: func(g, site, operands…).
// Where the operands have types that mention type parameters it is a literal, at the price of a
// number in the names of the literals after it.
func (b *body) deferHelper(in *ssa.Defer, ip *plan.Instr) {
	c := &in.Call
	var params, names, args []string
	generic := false
	for i, a := range c.Args {
		name := fmt.Sprintf("a%d_", i)
		generic = generic || mentionsTypeParam(a.Type())
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
	text, state := fmt.Sprintf("(g_ *%s.G, site uint32, %s) { g_.Call(site); %s }", rtName, strings.Join(params, ", "), call), "g_, "
	if b.gates {
		text, state = fmt.Sprintf("(site uint32, %s) { %s.Gate(site); %s; %[2]s.Done(site) }", strings.Join(params, ", "), rtName, call), ""
	}
	if generic {
		text = "func" + text
	} else {
		text = b.helper(text)
	}
	b.out.putf("defer %s(%s%d, %s)", text, state, ip.Site, strings.Join(args, ", "))
}

// mentionsTypeParam reports whether a type parameter occurs in t.
func mentionsTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if mentionsTypeParam(t.TypeArgs().At(i)) {
				return true
			}
		}
	case *types.Map:
		return mentionsTypeParam(t.Key()) || mentionsTypeParam(t.Elem())
	case *types.Signature:
		return mentionsTypeParam(t.Params()) || mentionsTypeParam(t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			if mentionsTypeParam(t.At(i).Type()) {
				return true
			}
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if mentionsTypeParam(t.Field(i).Type()) {
				return true
			}
		}
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		return mentionsTypeParam(t.Elem())
	}
	return false
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
