package instrument

import (
	"fmt"
	"go/types"

	"github.com/presage-race/presage/internal/source/plan"
)

// aliases are exported names that emitted files give to unexported types of their package, because
// the SSA of another instrumented package has registers of these types. The maps lead from package
// path and name of the type to the file that declares it.
type aliases map[string]map[string]string

const aliasPrefix = "Presage_"

// alias returns an exported name for an unexported type of another package, if that is instrumented
// too.
func (f *fileEmitter) alias(o *types.TypeName) string {
	pkg := f.instrumented(o.Pkg().Path())
	if pkg == nil {
		refuse("unexported type of another package")
	}
	decl, ok := pkg.Types.Scope().Lookup(o.Name()).(*types.TypeName)
	if !ok {
		refuse("unexported type of another package")
	}
	if t, ok := decl.Type().(*types.Named); ok && t.TypeParams().Len() > 0 {
		refuse("unexported generic type of another package")
	}
	name := aliasPrefix + o.Name()
	if o.Pkg().Scope().Lookup(name) == nil {
		o.Pkg().Scope().Insert(types.NewTypeName(o.Pos(), o.Pkg(), name, o.Type()))
	}
	if f.aliases[o.Pkg().Path()] == nil {
		f.aliases[o.Pkg().Path()] = map[string]string{}
	}
	f.aliases[o.Pkg().Path()][o.Name()] = pkg.Fset.PositionFor(decl.Pos(), false).Filename
	return name
}

func (f *fileEmitter) instrumented(path string) *plan.Package {
	for _, pkg := range f.plan.Program.Packages {
		if pkg.PkgPath == path {
			return pkg
		}
	}
	return nil
}

// declare adds the aliases to the emitted files.
func (a aliases) declare(files map[string][]*emitted) {
	for _, path := range sortedKeys(a) {
		for _, name := range sortedKeys(a[path]) {
			for _, f := range files[path] {
				if f.name == a[path][name] {
					f.text += fmt.Sprintf("\ntype %s%s = %[2]s\n", aliasPrefix, name)
					f.changed = true
				}
			}
		}
	}
}
