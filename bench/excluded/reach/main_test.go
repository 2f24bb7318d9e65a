package reach

import "testing"

// TestNoRounds: of a row without a measurement (-rounds 0) calls and traces are printed, and
// nothing is reached; with measurements that are all alike it is.
func TestNoRounds(t *testing.T) {
	r := &row{set: "./x"}
	for i := range r.traces {
		r.traces[i] = traced{with: 105, without: 100}
	}
	if r.print("none") {
		t.Error("reached without a measurement")
	}
	for range 10 {
		for i := range r.cost {
			r.cost[i] = append(r.cost[i], cost{cpu: 1})
		}
	}
	if !r.print("none") {
		t.Error("not reached at the same time as without")
	}
}
