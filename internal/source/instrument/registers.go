package instrument

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/presage-race/presage/internal/source/plan"
)

// registers maps the values of a function's SSA to variables of the emitted function, and collects
// the declarations of these variables (IN1).
type registers struct {
	unit *unitEmitter
	plan *plan.Func
	fn   *ssa.Function

	prefix  string // of all names, so that nested literals do not hide what they capture
	names   map[ssa.Value]string
	slots   map[*ssa.Select][]int // by component: the component whose variable it shares
	results map[*ssa.Alloc]string // result variables of functions with defers
	inlined map[ssa.Value]bool    // values that are written inside of their user
	consts  map[string]string     // expression to variable
	decls   []string
}

// newRegisters names the parameters and the free variables. depth is the nesting of literals.
func newRegisters(u *unitEmitter, f *plan.Func, depth int) *registers {
	rs := &registers{
		unit: u, plan: f, fn: f.SSA,
		names: map[ssa.Value]string{}, slots: map[*ssa.Select][]int{}, results: map[*ssa.Alloc]string{},
		inlined: inline(f, u.unit.Node, u.pkg.TypesInfo), consts: map[string]string{},
	}
	if depth > 0 {
		rs.prefix = fmt.Sprintf("d%d", depth)
	}
	for i, p := range rs.fn.Params {
		rs.names[p] = fmt.Sprintf("%sp%d_", rs.prefix, i)
	}
	for i, v := range rs.fn.FreeVars {
		rs.names[v] = fmt.Sprintf("%sv%d_", rs.prefix, i)
	}
	return rs
}

func (rs *registers) declareRegisters() {
	n := 0
	for i, blk := range rs.fn.Blocks {
		if blk == rs.fn.Recover {
			continue
		}
		for j, in := range blk.Instrs {
			if v, ok := in.(ssa.Value); ok {
				rs.names[v] = fmt.Sprintf("%st%d_", rs.prefix, n)
				n++
				rs.declareRegister(v, &rs.plan.Blocks[i].Instrs[j])
			}
		}
	}
}

func (rs *registers) declareRegister(v ssa.Value, ip *plan.Instr) {
	name := rs.names[v]
	if ip.Fused || rs.inlined[v] {
		return
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		if rs.plan.Local(v) {
			if _, result := rs.results[v]; !result {
				rs.declare(name, v.Type().Underlying().(*types.Pointer).Elem(), "")
			}
			return
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		if rs.plan.Local(v) {
			return
		}
	case *ssa.Range:
		rs.decls = append(rs.decls, fmt.Sprintf("var %s %s; _ = %[1]s", name, rs.iterType(v)))
		return
	case *ssa.Next:
		for i, t := range nextTypes(v) {
			rs.declare(rs.component(v, i), t, "")
		}
		return
	case *ssa.Call:
		if bi, ok := v.Call.Value.(*ssa.Builtin); ok && strings.HasPrefix(bi.Name(), "ssa:") {
			return
		}
	}
	if t, ok := v.Type().(*types.Tuple); ok {
		for i := range t.Len() {
			if rs.slot(v, i) == i {
				rs.declare(rs.component(v, i), t.At(i).Type(), "")
			}
		}
		return
	}
	rs.declare(name, v.Type(), "")
}

func (rs *registers) declare(name string, t types.Type, init string) {
	d := "var " + name + " " + rs.unit.typ(t)
	if init != "" {
		d += " = " + init
	}
	rs.decls = append(rs.decls, d+"; _ = "+name)
}

// iterType writes the type of the register of a Range.
func (rs *registers) iterType(in *ssa.Range) string {
	if m, ok := plan.Core(in.X.Type()).(*types.Map); ok {
		return fmt.Sprintf("*%s.MapIter[%s, %s]", rtName, rs.unit.typ(m.Key()), rs.unit.typ(m.Elem()))
	}
	return "*" + rtName + ".StrIter"
}

// nextTypes returns the types of the components of a Next. SSA has none for components that are not
// used.
func nextTypes(in *ssa.Next) [3]types.Type {
	ok := types.Typ[types.Bool]
	if in.IsString {
		return [3]types.Type{ok, types.Typ[types.Int], types.Typ[types.Rune]}
	}
	m := plan.Core(in.Iter.(*ssa.Range).X.Type()).(*types.Map)
	return [3]types.Type{ok, m.Key(), m.Elem()}
}

func (rs *registers) resultName(i int) string { return fmt.Sprintf("%sr%d_", rs.prefix, i) }

// findResults maps the variables that the recover block returns to the named
// results of the emitted function (IN1): Go itself returns them after a recovered panic.
func (rs *registers) findResults() {
	if rs.fn.Recover == nil {
		return
	}
	for _, in := range rs.fn.Recover.Instrs {
		ret, ok := in.(*ssa.Return)
		if !ok {
			continue
		}
		for i, r := range ret.Results {
			load, ok := r.(*ssa.UnOp)
			if !ok {
				refuse("results of an unknown shape")
			}
			a, ok := load.X.(*ssa.Alloc)
			if !ok {
				refuse("result variable of another function")
			}
			rs.results[a] = rs.resultName(i)
		}
	}
}

// component names a component of a tuple (IN1).
func (rs *registers) component(v ssa.Value, i int) string {
	return fmt.Sprintf("%s%d_", rs.names[v], rs.slot(v, i))
}

// slot returns the component of v whose variable holds component i. That is i itself, except that
// all values of one type that a select may receive share the variable of the first one. Only one of
// them is received, and it is read only in the block of its case. With a variable for each, the
// compiler would merge all n after each of n cases.
func (rs *registers) slot(v ssa.Value, i int) int {
	in, ok := v.(*ssa.Select)
	if !ok || i < 2 {
		return i
	}
	slots, ok := rs.slots[in]
	if !ok {
		slots = received(in.Type().(*types.Tuple))
		rs.slots[in] = slots
	}
	return slots[i]
}

// received returns the slots of the components of a select.
func received(t *types.Tuple) []int {
	slots, first := make([]int, t.Len()), typeutil.Map{}
	for i := range slots {
		slots[i] = i
		if i < 2 {
			continue
		}
		if j, ok := first.At(t.At(i).Type()).(int); ok {
			slots[i] = j
		} else {
			first.Set(t.At(i).Type(), i)
		}
	}
	return slots
}

// assignTo writes the left side of an assignment to the register or registers of v.
func (rs *registers) assignTo(v ssa.Value) string {
	t, ok := v.Type().(*types.Tuple)
	if !ok {
		return rs.names[v] + " = "
	}
	var names []string
	for i := range t.Len() {
		names = append(names, rs.component(v, i))
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " = "
}
