package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestAsWritten checks which directives leave a function as written: those that the compiler takes
// for it.
func TestAsWritten(t *testing.T) {
	ar := txtar.Parse([]byte(`
-- go.mod --
module m

go 1.26
-- a.go --
package m

import _ "unsafe"

//go:uintptrescapes
func next(p uintptr) {}

//go:nosplit

// a comment
func apart() {}

func free() {} // of another one: //go:nosplit

// It has no directive: //go:nosplit is in the text.
func quoted() {
	//line a.go:100
}

//go:noinline
func kept() {}

//go:linkname kept other

func after() {}

//go:linkname named third
func named() {}
`))
	got := map[string]string{}
	for _, u := range New(load(t, ar), nil).Units {
		got[u.Key] = u.Opaque
	}
	want := map[string]string{
		"m.next": "directive //go:uintptrescapes", "m.apart": "directive //go:nosplit", "m.free": "", "m.quoted": "",
		"m.kept": "", "m.after": "", "m.named": "directive //go:linkname",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons differ (-want +got):\n%s", diff)
	}
}
