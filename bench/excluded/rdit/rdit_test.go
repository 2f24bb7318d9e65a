package rdit

import (
	"testing"

	"github.com/presage-race/presage/internal/predict/excluded"
)

// TestNothingFalse runs the command on a few programs.
func TestNothingFalse(t *testing.T) {
	some := map[string]*counts{"executions": {left: nothing}, "executions, synchronisation seen": {left: synchronisation}, "executions, synchronisation flagged": {left: flagged}}
	for _, c := range some {
		c.executions(1000, 11)
	}
	some["go"] = &counts{}
	some["go"].goPrograms(300, 11)
	if some["executions"].false[asWritten] == 0 {
		t.Error("Algorithms 5 and 6 as written have no false alarm in executions")
	}
	for name, c := range some {
		t.Logf("%s: %d races, found %v, false %v", name, c.races, c.found, c.false)
		if c.wrong() {
			t.Errorf("%s: false %v, rejected %d", name, c.false, c.rejected)
		}
		if c.found[excluded.Reachable] <= c.found[excluded.Everything] || c.false[excluded.Ignore] == 0 || c.found[asWritten] == 0 {
			t.Errorf("%s: too few races to conclude anything", name)
		}
	}
}
