package instrument

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
)

// Initialisers of package-level variables stay as written, and constant ones are not code. So the
// initial values of the variables have no records. Each file of the package's own has an init
// function that passes the addresses of its variables to the recorder.
//
//	var vars0_ = []presagert_.Var{{unsafe_.Pointer(&y), unsafe_.Sizeof(y)}, …}
//	func init() { presagert_.Vars(vars0_, 1, true) }
//
// Variables of channel type, of function type and of type *sync.Cond are in lists of their own, and
// so are fields of variables: the recorder says what they hold.
//
//	var chans0_ = []unsafe_.Pointer{unsafe_.Pointer(&c), …}
//	func init() { presagert_.Chans(chans0_) }
//
// The number is that of the first variable in the plan, which has the names. The list is data that
// the linker makes, so no initialisation comes later than without it. A file without variables has
// the function as well: it reports that the package is emitted, and whether all of its functions
// are.

// variables are the names of the package-level variables of the file.
func (f *fileEmitter) variables() []string {
	if f.gates {
		return nil
	}
	return plan.VariablesOf(f.pkg, f.file)
}

// isWhole reports whether no unit of a package stays as written. todo has the units to emit.
func isWhole(units, todo []*plan.Unit, files []*emitted) bool {
	return len(todo) == len(units) &&
		!slices.ContainsFunc(units, func(u *plan.Unit) bool { return u.Opaque != "" }) &&
		!slices.ContainsFunc(files, func(f *emitted) bool { return len(f.refused) > 0 })
}

// registration returns the text that passes the variables to the recorder, and whether all
// functions of the package are emitted.
func (f *fileEmitter) registration(whole bool) string {
	names, isWhole := f.variables(), "1 == 0" // true and false may be something else here
	if whole {
		isWhole = "1 == 1"
	}
	if len(names) == 0 {
		return fmt.Sprintf("\nfunc init() { %[1]s.Vars([]%[1]s.Var{}, 0, %s) }\n", rtName, isWhole)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nvar vars%d_ = []%s.Var{\n", f.index, rtName)
	for _, n := range names {
		fmt.Fprintf(&b, "{%[1]s.Pointer(&%[2]s), %[1]s.Sizeof(%[2]s)},\n", unsafeName, n)
	}
	fmt.Fprintf(&b, "}\n\nfunc init() { %s.Vars(vars%d_, %d, %s) }\n", rtName, f.index, f.plan.FirstVariable(f.file), isWhole)
	var parts []part
	for _, n := range names {
		parts = f.parts(parts, part{n, f.pkg.Types.Scope().Lookup(n).Type()}, 0)
	}
	for _, h := range holders {
		f.held(&b, h.list, slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !h.is(p.typ) }))
	}
	return b.String()
}

// A part is a package-level variable, or a field of one that has a name here.
type part struct {
	expr string
	typ  types.Type
}

const maxFieldDepth = 3

// parts appends p and its fields.
func (f *fileEmitter) parts(list []part, p part, depth int) []part {
	list = append(list, p)
	s, ok := p.typ.Underlying().(*types.Struct)
	if !ok || depth == maxFieldDepth {
		return list
	}
	for x := range s.Fields() {
		if x.Name() != "_" && (x.Exported() || x.Pkg() == f.pkg.Types) {
			list = f.parts(list, part{p.expr + "." + x.Name(), x.Type()}, depth+1)
		}
	}
	return list
}

// holders are the types of variables of which the recorder says what they hold, with the function
// of package presagert that takes them.
var holders = []struct {
	list string
	is   func(types.Type) bool
}{
	{"Chans", func(t types.Type) bool { _, ok := t.Underlying().(*types.Chan); return ok }},
	{"Funcs", func(t types.Type) bool { _, ok := t.Underlying().(*types.Signature); return ok }},
	{"Conds", func(t types.Type) bool { return types.Unalias(t).String() == "*sync.Cond" }},
}

// held appends the text that passes variables to a function of package presagert.
func (f *fileEmitter) held(b *strings.Builder, list string, parts []part) {
	if len(parts) == 0 {
		return
	}
	name := fmt.Sprintf("%s%d_", strings.ToLower(list), f.index)
	fmt.Fprintf(b, "\nvar %s = []%s.Pointer{\n", name, unsafeName)
	for _, p := range parts {
		fmt.Fprintf(b, "%s.Pointer(&%s),\n", unsafeName, p.expr)
	}
	fmt.Fprintf(b, "}\n\nfunc init() { %s.%s(%s) }\n", rtName, list, name)
}
