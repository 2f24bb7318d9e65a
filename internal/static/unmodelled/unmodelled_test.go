package unmodelled_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static/callgraph"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/unmodelled"
)

// TestOf counts in a package that has one of each, and things that look alike.
func TestOf(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.25\n",
		"a.go": `package m

import (
	"reflect"
	"unsafe"
)

func assembled(x int) int

func Has(p *int, f reflect.Value) *int8 {
	assembled(1)
	f.Call(nil)
	address := uintptr(unsafe.Pointer(p))
	_ = address
	_ = f.Kind()
	return (*int8)(unsafe.Pointer(p))
}
`,
		"a.s":             "",
		"cgo.go":          "package m\n\nimport \"C\"\n\nfunc C1() {}\n",
		"tagged.go":       "//go:build cgo && special\n\npackage m\n",
		"other.go":        "//go:build never\n\npackage m\n\nimport \"C\"\n",
		"file_plan9.go":   "package m\n\nimport \"C\"\n",
		"without_body.go": "//go:build !cgo\n\npackage m\n\nfunc named()\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		tags []string
		want unmodelled.Counts
	}{
		{nil, unmodelled.Counts{NoBody: 2, Cgo: 1, Unsafe: 1, Reflect: 1}},
		{[]string{"special"}, unmodelled.Counts{NoBody: 2, Cgo: 2, Unsafe: 1, Reflect: 1}},
	} {
		prog, err := load.List(context.Background(), load.Config{Dir: dir, Patterns: []string{"."}})
		if err != nil {
			t.Fatal(err)
		}
		var got unmodelled.Counts
		err = prog.Visit(context.Background(), 1, load.Visitor{Visit: func(p *load.Package) error {
			if p.SSA != nil {
				got.Add(unmodelled.Of(p, callgraph.Functions(p.SSA), test.tags))
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("with tags %v (-want +got):\n%s", test.tags, diff)
		}
	}
}
