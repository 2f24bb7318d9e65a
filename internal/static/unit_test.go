package static

import (
	"fmt"
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

// A package finds functions only in packages that it imports, whichever others were summarised
// before; of several that have the function it finds the first by ID.
func TestLookup(t *testing.T) {
	list := []*load.Package{{ID: "a", Path: "a"}, {ID: "b", Path: "b"}, {ID: "c", Path: "c"}}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		r := newRun(Config{})
		for _, i := range order {
			p := list[i]
			data, _ := store.Encode(&unit{Path: p.Path, Functions: []*summary.Function{{Key: "(x.T).M$bound", Pkg: p.ID}}})
			if err := r.accept(p, data); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			imports []string
			want    string
		}{{nil, ""}, {[]string{"b"}, "b"}, {[]string{"b", "c"}, "b"}, {[]string{"a", "c"}, "a"}} {
			got := ""
			if f := r.lookup(&load.Package{ID: fmt.Sprint("of ", c.imports), Imports: c.imports}, "(x.T).M$bound"); f != nil {
				got = f.Pkg
			}
			if got != c.want {
				t.Errorf("visited in order %v: a package that imports %v finds the function of %q, want %q", order, c.imports, got, c.want)
			}
		}
	}
}
