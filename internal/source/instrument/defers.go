package instrument

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// emitGo writes a go statement.
func (cs *calls) emitGo(in *ssa.Go, ip *plan.Instr) {
	cs.mustBeStatement(&in.Call)
	cs.mustKeepAlive(&in.Call)
	call := cs.expr.call(&in.Call)
	cs.edge.goLeaves(in, ip)
	cs.rec.before(ip)
	cs.out.put("go " + call)
	cs.rec.barrier()
}

// emitDefer writes a defer statement. Typed operations are deferred through a helper that passes
// their site to the recorder. Other functions must be called by the runtime itself, or recover
// would not work in them.
func (cs *calls) emitDefer(in *ssa.Defer, ip *plan.Instr) {
	cs.mustBeStatement(&in.Call)
	cs.mustKeepAlive(&in.Call)
	if bi, ok := in.Call.Value.(*ssa.Builtin); ok && bi.Name() == "recover" {
		refuse("defer recover(), whose frame would not be the same")
	}
	if plan.TypedDefer(&in.Call) {
		cs.edge.deferLeaves(in, ip, func(string) { cs.deferHelper(in, ip) })
		return
	}
	call := cs.expr.call(&in.Call)
	cs.edge.deferLeaves(in, ip, func(leaves string) {
		if cs.unit.plan.MaybeTyped(&in.Call) {
			cs.deferMaybe(in, ip, call, leaves)
			return
		}
		if fn := in.Call.StaticCallee(); cs.defersMaybe() && cs.unit.plan.Func(fn) == nil {
			cs.out.put("u_ = true")
		}
		cs.out.put("defer " + call)
	})
}

// defersMaybe reports whether the function defers a call that may be one of a typed operation.
func (cs *calls) defersMaybe() bool {
	for _, blk := range cs.fn.Blocks {
		for _, in := range blk.Instrs {
			if d, ok := in.(*ssa.Defer); ok && !cs.unit.gates && cs.unit.plan.MaybeTyped(&d.Call) {
				return true
			}
		}
	}
	return false
}

// deferMaybe defers a call that may be one of a typed operation: then its site is recorded right
// before it. The runtime itself calls it, or recover would not work in it. leaves is the excluded
// package that it enters, "" if there is none.
func (cs *calls) deferMaybe(in *ssa.Defer, ip *plan.Instr, call, leaves string) {
	if cs.unit.gates {
		cs.out.putf("defer %s.Done(%d); defer %s; defer %[1]s.Gate(%[2]d)", rtName, ip.Site, call)
		return
	}
	stays := ""
	if leaves != "" {
		stays = leaves + " == 0 && "
	}
	cs.out.putf("{ o_ := %s%s", stays, cs.expr.isTyped(&in.Call, 0))
	cs.out.put("u_ = u_ || !o_")
	cs.out.put("defer " + call)
	cs.out.putf("defer g_.CallTyped(%d, o_) }", ip.Site)
}

// mustBeStatement refuses the builtins that Go does not allow as statements.
func (cs *calls) mustBeStatement(c *ssa.CallCommon) {
	if bi, ok := c.Value.(*ssa.Builtin); ok {
		switch bi.Name() {
		case "close", "copy", "delete", "clear", "panic", "print", "println", "recover":
		default:
			refuse("go or defer of " + bi.Name())
		}
	}
}

// deferHelper defers the call through a function of the emitted file: func(g, site, operands…). If
// the types of the operands mention type parameters, it is a literal instead, which changes the
// numbers in the names of later literals.
func (cs *calls) deferHelper(in *ssa.Defer, ip *plan.Instr) {
	c := &in.Call
	var params, names, args []string
	generic := false
	for i, a := range c.Args {
		name := fmt.Sprintf("a%d_", i)
		generic = generic || mentionsTypeParam(a.Type())
		params = append(params, name+" "+cs.unit.typ(a.Type()))
		names = append(names, name)
		args = append(args, cs.expr.value(a))
	}
	var call string
	if bi, ok := c.Value.(*ssa.Builtin); ok {
		call = bi.Name() + "(" + strings.Join(names, ", ") + ")"
	} else if fn := c.StaticCallee(); fn.Signature.Recv() != nil {
		call = names[0] + "." + origin(fn).Object().Name() + "(" + strings.Join(names[1:], ", ") + ")"
	} else {
		call = cs.expr.function(fn) + "(" + strings.Join(names, ", ") + ")"
	}
	text, state := fmt.Sprintf("(g_ *%s.G, site uint32, %s) { g_.Call(site); %s }", rtName, strings.Join(params, ", "), call), "g_, "
	if cs.unit.gates {
		text, state = fmt.Sprintf("(site uint32, %s) { %s.Gate(site); %s; %[2]s.Done(site) }", strings.Join(params, ", "), rtName, call), ""
	}
	if generic {
		text = "func" + text
	} else {
		text = cs.unit.helper(text)
	}
	cs.out.putf("defer %s(%s%d, %s)", text, state, ip.Site, strings.Join(args, ", "))
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
