package report

import (
	"strings"
	"testing"
)

// TestMarks: every mark is counted and said once, and what the static lens has no warning for is
// said.
func TestMarks(t *testing.T) {
	m := &Marks{Tier: "likely", Lower: 7, Ignored: 1, Unwarned: 2}
	for i, mark := range []Mark{MarkConfirmed, MarkExecuted, MarkNotReached, MarkUnwitnessed, MarkNotRecorded} {
		for range i + 1 {
			m.Add(mark)
		}
	}
	var out strings.Builder
	if err := NewDetails(&out, TextOptions{}).Summary(&Summary{Static: m}); err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(out.String(), "\n")
	want := "presage: 15 warnings of static analysis (likely): 1 confirmed, 2 executed without a race, 3 not reached, 4 unwitnessed, 5 not recorded, and 7 of lower tiers, 1 pair ignored; it has none for 2 races"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
