package load_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/callgraph"
	"github.com/presage-race/presage/internal/static/load"
)

// TestBroken loads a package with errors of every kind: the functions without any are built.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.25\n",
		"a.go": `package m

import "example.com/missing"

func whole() int { return len(list) }

func undefinedName()  { nothing() }
func wrongType()      { var x int = "s"; _ = x }
func missingPackage() { missing.Do() }
func missingType(p *missing.T) { p.Do() }
func unused()         { x := 1 }
func deep()           { var m map[string][]*missing.T; m["a"] = nil }
func literal()        { func() { nothing() }() }

type node struct{ next *node; f func(*node) map[string]*node }

func recursive(n *node) *node { n.f(n)["a"].next = n; return n.next }

var list = []int{1}
var bad = missing.V
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.List(context.Background(), load.Config{Dir: dir, Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = prog.Visit(context.Background(), 1, load.Visitor{Visit: func(p *load.Package) error {
		if !p.Target {
			return nil
		}
		if p.SSA == nil || len(p.Errors) < 4 {
			t.Fatalf("SSA %v, errors %q", p.SSA, p.Errors)
		}
		for _, fn := range callgraph.Functions(p.SSA) {
			if fn.Synthetic == "" && instructions(fn) > 0 {
				got = append(got, fn.Name())
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"recursive", "unused", "whole"}, got); diff != "" {
		t.Errorf("functions with bodies (-want +got):\n%s", diff)
	}
}

func instructions(fn *ssa.Function) int {
	n := 0
	for _, b := range fn.Blocks {
		n += len(b.Instrs)
	}
	return n
}
