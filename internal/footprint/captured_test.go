package footprint

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// captured.go holds literals whose captured variables are values, or are none (D13).
func TestCaptured(t *testing.T) {
	k, pkg := maskerOf(t, "captured.go")
	k.Program = NewProgram([]string{"command-line-arguments"}, nil)
	k.Body = func(*ssa.Function) *ssa.Function { return nil }
	k.Told = true
	k.Traced = func(in ssa.CallInstruction) bool {
		fn := in.Common().StaticCallee()
		if fn == nil {
			return false
		}
		name := fn.String()
		return fn.Pkg == pkg || strings.HasPrefix(name, "(*sync.") || name == "time.Sleep" || name == "strings.Join"
	}
	k.Value = func(addr ssa.Value) bool {
		if f, ok := addr.(*ssa.FieldAddr); ok {
			addr = f.X
		}
		v, ok := addr.(*ssa.FreeVar)
		return ok && strings.HasPrefix(v.Name(), "fixed")
	}
	n := 0
	for name, w := range wanted(t, "captured.go") {
		_, want, ok := strings.Cut("\n"+w, "\nc: ")
		if !ok {
			continue
		}
		n++
		m := k.Of(pkg.Func(name).AnonFuncs[0])
		_, text, _ := strings.Cut(m.Text(), "\n")
		got := strings.Join(append([]string{fmt.Sprint(m.levels)}, strings.Fields(text)...), " ")
		if got != want {
			t.Errorf("%s: %q (%s), want %q", name, got, m.Why, want)
		}
	}
	if n < 14 {
		t.Errorf("only %d cases", n)
	}
}
