package footprint

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// mask.go holds functions that are not traced; the comment of each is the mask wanted. recorded is traced; synchronisation is seen.
func TestMask(t *testing.T) {
	cfg := &packages.Config{Mode: packages.LoadSyntax, Dir: "testdata"}
	pkgs, err := packages.Load(cfg, "./mask.go")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal("loading testdata/mask.go:", err)
	}
	prog, ssaPkgs := ssautil.Packages(pkgs, 0)
	prog.Build()
	k := &Masker{
		Program: NewProgram(nil, []string{"command-line-arguments"}),
		Traced: func(in ssa.CallInstruction) bool {
			fn := in.Common().StaticCallee()
			return fn != nil && (fn.Name() == "recorded" || fn.Pkg != nil && (fn.Pkg.Pkg.Path() == "sync" || fn.Pkg.Pkg.Path() == "sync/atomic"))
		},
		Code: func() []*ssa.Function { return slices.Collect(maps.Keys(ssautil.AllFunctions(prog))) },
		Body: func(fn *ssa.Function) *ssa.Function {
			if fn.Origin() != nil {
				fn = fn.Origin()
			}
			if fn.Pkg != ssaPkgs[0] || len(fn.Blocks) == 0 {
				return nil
			}
			return fn
		},
	}
	n := 0
	for name, w := range wanted(t, "mask.go") {
		w, ok := strings.CutPrefix(w, "m:")
		if !ok {
			continue
		}
		n++
		m := k.Of(ssaPkgs[0].Func(name))
		got := strings.ReplaceAll(strings.TrimSpace(m.Text()), "\n", " ")
		if got != strings.TrimSpace(w) {
			t.Errorf("%s: mask %q (%s), want %q", name, got, m.Why, w)
		}
	}
	if n < 25 {
		t.Errorf("only %d cases", n)
	}
}
