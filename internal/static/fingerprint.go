package static

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/presage-race/presage/internal/static/summary"
)

// identify gives every pair its fingerprint, by (ST1). The pairs are in the order of their
// positions.
func identify(list []*Warning) {
	seen := map[string]int{}
	for _, w := range list {
		w.ID = w.fingerprint()
		if seen[w.ID]++; seen[w.ID] > 1 { // the same accesses twice in the same functions
			w.ID = fmt.Sprintf("%s-%d", w.ID, seen[w.ID])
		}
	}
}

// fingerprint hashes functions, kinds, and the class of the memory.
func (w *Warning) fingerprint() string {
	side := func(a *summary.Access) string { return summary.General(a.Func) + "\x00" + a.Kind.String() }
	sides := []string{side(w.A), side(w.B)}
	slices.Sort(sides)
	h := xxhash.Sum64String(strings.Join(append(sides, w.Class()), "\x01"))
	return fmt.Sprintf("%012x", h>>16)
}

// Class names the memory without the object that it belongs to: a field with its type, or a
// variable.
func (w *Warning) Class() string {
	return site.ReplaceAllString(w.A.Loc.Class(), "")
}

// site is the suffix of the label of an allocation site: places, in numbers that change with
// the function's text.
var site = regexp.MustCompile(`#[0-9a-f]{8}\.\d+(\.\w+)?(@[0-9a-f]{8}\.\d+)*`)
