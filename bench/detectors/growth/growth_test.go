package growth

import (
	"io"
	"testing"

	"github.com/presage-race/presage/bench/internal/synthetic"
)

// TestSizes: rows have names of their own, and each is a trace that can be made.
func TestSizes(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range sizes() {
		if seen[s.name] {
			t.Errorf("two rows %s", s.name)
		}
		seen[s.name] = true
		s.Events = 1000
		if err := synthetic.Write(io.Discard, s.Config); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	if len(seen) != 15 {
		t.Errorf("%d rows", len(seen))
	}
}
