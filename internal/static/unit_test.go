package static

import (
	"testing"

	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/store"
	"github.com/presage-race/presage/internal/static/summary"
)

// Of a package that is compiled anew for a test, what imports it for that test sees the one, and
// all others see the other, whichever of the two was summarised last.
func TestVariants(t *testing.T) {
	plain, tested := &load.Package{ID: "a", Path: "a"}, &load.Package{ID: "a [a.test]", Path: "a"}
	for _, order := range [][]*load.Package{{plain, tested}, {tested, plain}} {
		r := newRun(Config{})
		for _, p := range order {
			data, _ := store.Encode(&unit{Path: "a", Functions: []*summary.Function{{Key: "a.f", Pkg: p.ID}}})
			if err := r.accept(p, data); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			of   load.Package
			want string
		}{
			{load.Package{ID: "b", Imports: []string{"a"}}, "a"},
			{load.Package{ID: "a_test [a.test]", Imports: []string{"a [a.test]"}}, "a [a.test]"},
			{load.Package{ID: "c [a.test]", Imports: []string{"a [a.test]"}}, "a [a.test]"},
			// through c alone
			{load.Package{ID: "d [a.test]", Imports: []string{"b", "c [a.test]"}}, "a [a.test]"},
		} {
			if got := r.lookup(&c.of, "a.f"); got == nil || got.Pkg != c.want {
				t.Errorf("%s sees %+v, want that of %q", c.of.ID, got, c.want)
			}
			r.digest(&c.of, nil)
		}
	}
}
