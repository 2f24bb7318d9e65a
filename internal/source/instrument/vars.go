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
// Variables of channel type are in a second list: the recorder says what channels they point to.
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
	if names = slices.DeleteFunc(names, func(n string) bool { return !f.isChannel(n) }); len(names) > 0 {
		fmt.Fprintf(&b, "\nvar chans%d_ = []%s.Pointer{\n", f.index, unsafeName)
		for _, n := range names {
			fmt.Fprintf(&b, "%s.Pointer(&%s),\n", unsafeName, n)
		}
		fmt.Fprintf(&b, "}\n\nfunc init() { %s.Chans(chans%d_) }\n", rtName, f.index)
	}
	return b.String()
}

// isChannel reports whether a package-level variable has a channel type.
func (f *fileEmitter) isChannel(name string) bool {
	_, ok := f.pkg.Types.Scope().Lookup(name).Type().Underlying().(*types.Chan)
	return ok
}
