package link

import (
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
)

// maxAbove bounds the steps that are kept of the path from an enclosing object: recursion makes it
// longer without end.
const maxAbove = 8

// enclosing names a lock of an object above an argument, in the callee's terms (LI4). Of several
// arguments the one counts that has most in common with the lock; "" if none has.
func enclosing(name string, e *call) string {
	var best guard.Above
	most := 0
	old, again := guard.ParseAbove(name)
	e.actuals(func(arg, as string) {
		if again {
			if within(arg, old.Formal) && most == 0 {
				most, best = 1, guard.Above{Formal: as, Up: old.Up + arg[len(old.Formal):], Down: old.Down}
			}
			return
		}
		toLock, toArg, ok := guard.Relation(name, arg)
		if n := len(name) - len(toLock); ok && toLock != "" && toArg != "" && n > most {
			most, best = n, guard.Above{Formal: as, Up: toArg, Down: toLock}
		}
	})
	if most == 0 || strings.Count(best.Up, "!")+strings.Count(best.Up, "[") > maxAbove {
		return ""
	}
	return best.String()
}
