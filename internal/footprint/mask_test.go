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

// mask.go and effects.go hold functions that are not traced; the comment of each is the mask wanted. recorded is traced; synchronisation is seen.
func TestMask(t *testing.T) {
	for file, cases := range map[string]int{"mask.go": 25, "effects.go": 90} {
		t.Run(file, func(t *testing.T) { testMasks(t, file, cases) })
	}
}

func testMasks(t *testing.T, file string, cases int) {
	k, pkg := maskerOf(t, file)
	n := 0
	for name, w := range wanted(t, file) {
		w, ok := strings.CutPrefix(w, "m:")
		if !ok {
			continue
		}
		n++
		m := k.Of(pkg.Func(name))
		text := m.Text()
		if m.levels > 0 { // TestLevels has them
			_, text, _ = strings.Cut(text, "\n")
		}
		got, want := strings.Fields(text), strings.Fields(w)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: mask %q (%s), want %q", name, got, m.Why, want)
		}
	}
	if n < cases {
		t.Errorf("only %d cases", n)
	}
}

// own.go holds functions whose comments say whose their synchronisation is (W1 to W6): fixed, own, or other and why.
func TestOwn(t *testing.T) {
	k, pkg := maskerOf(t, "own.go")
	n := 0
	for name, w := range wanted(t, "own.go") {
		w, ok := strings.CutPrefix(w, "w: ")
		if !ok {
			continue
		}
		n++
		m := k.Of(pkg.Func(name))
		got := "fixed"
		switch {
		case m.Why != "":
			got = "everything"
		case m.Other != "":
			got = "other: " + m.Other
		case m.Grows:
			got = "own"
		}
		if got != w {
			t.Errorf("%s: %q, want %q", name, got, w)
		}
	}
	if n < 30 {
		t.Errorf("only %d cases", n)
	}
}

func maskerOf(t *testing.T, file string) (*Masker, *ssa.Package) {
	cfg := &packages.Config{Mode: packages.LoadSyntax, Dir: "testdata"}
	pkgs, err := packages.Load(cfg, "./"+file)
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatalf("loading testdata/%s: %v", file, err)
	}
	prog, ssaPkgs := ssautil.Packages(pkgs, 0)
	prog.Build()
	return &Masker{
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
	}, ssaPkgs[0]
}
