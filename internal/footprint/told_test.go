package footprint

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// told.go holds functions that keep what they are returned, and call it.
func TestTold(t *testing.T) {
	k, pkg := maskerOf(t, "told.go")
	k.Program = NewProgram([]string{"command-line-arguments"}, nil)
	k.Body = func(*ssa.Function) *ssa.Function { return nil }
	k.Traced = func(in ssa.CallInstruction) bool {
		fn := in.Common().StaticCallee()
		return fn != nil && fn.Pkg == pkg
	}
	n := 0
	for name, want := range wanted(t, "told.go") {
		want = strings.TrimSpace(want)
		if want != "told" && want != "never" && want != "everything" {
			continue
		}
		n++
		for _, told := range []bool{false, true} {
			k := *k
			k.made, k.Told = nil, told
			m := k.Of(pkg.Func(name))
			if got := m.Why != ""; got != (want == "everything" || want == "told" && !told) {
				t.Errorf("%s, told %t: everything is %t (%s), mask %q", name, told, got, m.Why, m.Text())
			}
		}
	}
	if n < 13 {
		t.Errorf("only %d cases", n)
	}
}
