package witness_test

import (
	"errors"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/tracetest"
)

// TestAdmits checks that random windows admit their recorded order, and that the error for a broken
// window names the rule.
func TestAdmits(t *testing.T) {
	for n := range uint64(2_000) {
		if w := tracetest.RandomWindow(7, n).Window; witness.Admits(w) != nil {
			t.Fatalf("%v\n%s", witness.Admits(w), tracetest.Format(w))
		}
	}
	for _, c := range []struct{ rule, window string }{
		// the write was before it waited
		{"", "object 0\nobject 1\n0 t0 send o0 val=1 nb partner=2\n1 t1 write o1 val=1\n2 t1 recv o0 val=1"},
		{"", "object 0\nobject 1\n0 t0 write o1 val=1 last\n1 t1 read o1 strict"},
		{"", "object 0\nobject 1\n0 t0 send o0 val=1 nb last"},
		{"MO6", "object 0\nobject 1\n0 t0 write o1 val=1\n1 t1 read o1 strict"},
		{"U", "object 0\nobject 1\n0 t0 send o0 val=1\n1 t0 write o1 val=1"},
		{"U", "object 0\nobject 1\n0 t0 send o0 val=1 nb"},
		{"L", "object 0\nobject 1\n0 t0 lock o0\n1 t0 send o1 val=1 nb partner=3\n2 t1 lock o0\n3 t1 recv o1 val=1"},
	} {
		w, err := tracetest.Parse("threads 2\n" + c.window)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		var v *witness.Violation
		if errors.As(witness.Admits(w), &v) {
			got = v.Rule
		}
		if got != c.rule {
			t.Errorf("rule %q, want %q\n%s", got, c.rule, c.window)
		}
	}
}
