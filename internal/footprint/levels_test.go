package footprint

import (
	"fmt"
	"strings"
	"testing"
)

// levels.go holds functions whose comments say how many levels of memory they touch (D11).
func TestLevels(t *testing.T) {
	k, pkg := maskerOf(t, "levels.go")
	n := 0
	for name, w := range wanted(t, "levels.go") {
		_, w, ok := strings.Cut("\n"+w, "\nl: ")
		if !ok {
			continue
		}
		n++
		m := k.Of(pkg.Func(name))
		if got := fmt.Sprint(m.levels); got != w || m.Why != "" && w != "0" {
			t.Errorf("%s: %s levels (%s), want %s: %q", name, got, m.Why, w, m.Text())
		}
	}
	if n < 32 {
		t.Errorf("only %d cases", n)
	}
}
