package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/trace"
)

// TestGlobals: variables are numbered file by file, and those are the program's own that outside
// code has no address or name of.
func TestGlobals(t *testing.T) {
	p := New(load(t, txtar.Parse([]byte(`
-- go.mod --
module m

go 1.26
-- a.go --
package m

import (
	"flag"
	"unsafe"
	"m/b"
)

var own, Exported, _, addressed int

var pulled, pushed int32

//go:linkname pulled other.name
//go:linkname pushed

//go:linkname elsewhere m/b.linked
var elsewhere int

func init() { flag.IntVar(&addressed, "a", 0, "") }

func use() int { return own + b.Use() + int(unsafe.Sizeof(own)) }
-- b/b.go --
package b

var linked, field struct{ n int }

func Use() int { linked.n++; return field.n }
-- b/c.go --
package b

var (
	initialised = Use()
	literal     = func() int { return initialised }
)
`))), nil)
	want := []trace.Global{
		{}, {Name: "m.own", Own: true, Watched: true}, {Name: "m.Exported", Watched: true}, {Name: "m.addressed", Watched: true},
		{Name: "m.pulled"}, {Name: "m.pushed"}, {Name: "m.elsewhere"},
		{Name: "m/b.linked"}, {Name: "m/b.field", Own: true, Watched: true}, {Name: "m/b.initialised", Own: true, Watched: true}, {Name: "m/b.literal", Own: true, Watched: true},
	}
	if diff := cmp.Diff(want, p.Globals()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	first := map[string]int{}
	for _, pkg := range p.Program.Packages {
		for _, file := range pkg.Syntax {
			if names := VariablesOf(pkg, file); len(names) > 0 {
				first[names[0]] = p.FirstVariable(file)
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"own": 1, "linked": 7, "initialised": 9}, first); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}
