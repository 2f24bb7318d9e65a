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
func (ex *expressions) call(c *ssa.CallCommon) string {
	if bi, ok := c.Value.(*ssa.Builtin); ok {
		return ex.builtin(bi.Name(), c.Args)
	}
	if c.IsInvoke() {
		ex.mustName(c.Method)
		return ex.receiver(c.Value) + "." + c.Method.Name() + ex.args(c, c.Args)
	}
	if fn := c.StaticCallee(); fn != nil && fn.Signature.Recv() != nil {
		if _, closure := c.Value.(*ssa.MakeClosure); !closure {
			o := origin(fn).Object()
			if o == nil {
				refuse("method without a declaration")
			}
			ex.mustName(o)
			return ex.selector(c.Args[0]) + "." + o.Name() + ex.args(c, c.Args[1:])
		}
	}
	fn := ex.hidden(c.Value)
	if strings.Contains(fn, "\n") { // a literal: the call has the line of its parenthesis
		fn += ex.out.comment()
	}
	return fn + ex.args(c, c.Args)
}

// receiver writes an interface on which a method is called, so that the compiler does not see its
// dynamic type. Otherwise the compiler could call the method of that type, perhaps inline, and not
// the target that Dynamic has recorded.
func (ex *expressions) receiver(v ssa.Value) string {
	if !ex.unit.gates {
		switch x := v.(type) {
		case *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Phi, *ssa.FreeVar:
			return rtName + ".Same(" + ex.value(v) + ")"
		case *ssa.UnOp: // of a variable to which the compiler may have seen the assignment
			switch x.X.(type) {
			case *ssa.FreeVar, *ssa.Alloc:
				return rtName + ".Same(" + ex.value(v) + ")"
			}
		}
	}
	return ex.selector(v)
}

// mustName refuses a method that source in this package cannot name.
func (ex *expressions) mustName(o types.Object) {
	if !o.Exported() && o.Pkg().Path() != ex.unit.pkg.Types.Path() {
		refuse("unexported method of another package")
	}
	if o.Name() == "_" {
		refuse("blank method")
	}
}

func (ex *expressions) args(c *ssa.CallCommon, args []ssa.Value) string {
	var s []string
	for _, a := range args {
		s = append(s, ex.value(a))
	}
	dots := ""
	if c.Signature().Variadic() {
		dots = "..."
	}
	return "(" + strings.Join(s, ", ") + dots + ")"
}

func (ex *expressions) builtin(name string, args []ssa.Value) string {
	var s []string
	for _, a := range args {
		if name == "append" || name == "copy" {
			s = append(s, ex.value(a))
		} else {
			s = append(s, ex.hidden(a))
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
func (ex *expressions) function(fn *ssa.Function) string {
	if strings.HasPrefix(fn.Synthetic, "thunk for") {
		ex.mustName(fn.Object())
		return ex.unit.conv(fn.Params[0].Type()) + "." + fn.Object().Name()
	}
	if strings.HasPrefix(fn.Synthetic, "bound") {
		refuse("bound method without its receiver")
	}
	if fn.Parent() != nil {
		return ex.literal(fn)
	}
	o, _ := origin(fn).Object().(*types.Func)
	if o == nil {
		refuse("function without a declaration")
	}
	if fn.Signature.Recv() != nil {
		ex.mustName(o)
		return ex.unit.conv(fn.Signature.Recv().Type()) + "." + o.Name()
	}
	var targs []string
	for _, t := range fn.TypeArgs() {
		targs = append(targs, ex.unit.typ(t))
	}
	inst := ""
	if len(targs) > 0 {
		inst = "[" + strings.Join(targs, ", ") + "]"
	}
	if o.Pkg().Path() == ex.unit.pkg.Types.Path() {
		ex.unit.uses[o.Name()] = true
		return o.Name() + inst
	}
	if !o.Exported() {
		refuse("unexported function of another package")
	}
	return ex.unit.importName(o.Pkg()) + "." + o.Name() + inst
}

func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// isTyped writes the test whether a call is one of a typed operation.
func (ex *expressions) isTyped(c *ssa.CallCommon, site trace.Site) string {
	x := ex.value(c.Value)
	switch {
	case plan.MethodOfParam(c):
		return fmt.Sprintf("%s.TypedParam(g_, %d, %s, %q)", rtName, site, x, c.Method.Name())
	case c.IsInvoke():
		i := c.Value.Type().Underlying().(*types.Interface)
		return fmt.Sprintf("%s.TypedMethod(g_, %d, %s, %d)", rtName, site, x, plan.MethodIndex(i, c.Method))
	}
	return fmt.Sprintf("%s.TypedFunc(g_, %d, %s)", rtName, site, x)
}

// target writes the entry address of the callee, "" if the callee is known.
func (ex *expressions) target(c *ssa.CallCommon, ip *plan.Instr) string {
	return ex.targetOf(c, ip.Target)
}

func (ex *expressions) targetOf(c *ssa.CallCommon, t plan.Target) string {
	switch t {
	case plan.FuncValue:
		return fmt.Sprintf("%s.Func(%s)", rtName, ex.value(c.Value))
	case plan.MethodValue:
		i := c.Value.Type().Underlying().(*types.Interface)
		return fmt.Sprintf("%s.Method(%s, %d)", rtName, ex.value(c.Value), plan.MethodIndex(i, c.Method))
	}
	return ""
}
