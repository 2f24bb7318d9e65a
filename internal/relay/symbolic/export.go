package symbolic

import (
	"slices"

	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// Export takes out of a summary what only the function's own frame needs: accesses to its own objects by its own goroutine.
func Export(sum *summary.Function) {
	sum.Accesses = slices.DeleteFunc(sum.Accesses, func(a *summary.Access) bool {
		return a.Thread == 0 && a.Loc.Root().Kind == path.Alloc
	})
}
