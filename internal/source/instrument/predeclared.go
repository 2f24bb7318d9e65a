package instrument

import (
	"go/types"
	"slices"
)

// notIntroduced are the predeclared names that emitted text uses only where the source uses them.
var notIntroduced = []string{"min", "max", "print", "println", "copy", "delete", "clear", "close", "real", "imag", "recover", "comparable", "iota"}

// checkPredeclared refuses a unit in whose scope a predeclared name, such as true or len, means
// something else: emitted text uses these names where the source does not.
func (u *unitEmitter) checkPredeclared() {
	scopes := []*types.Scope{u.pkg.Types.Scope(), u.pkg.TypesInfo.Scopes[u.file]}
	for _, name := range types.Universe.Names() {
		if slices.Contains(notIntroduced, name) {
			continue
		}
		for _, s := range scopes {
			if s != nil && s.Lookup(name) != nil {
				refuse("the package gives another meaning to " + name)
			}
		}
		for tn := range u.locals {
			if tn.Name() == name {
				refuse("a local type is named " + name)
			}
		}
		for _, f := range u.unit.Funcs {
			for t := range f.SSA.TypeParams().TypeParams() {
				if t.Obj().Name() == name {
					refuse("a type parameter is named " + name)
				}
			}
		}
	}
}
