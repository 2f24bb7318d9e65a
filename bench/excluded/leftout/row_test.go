package leftout

import (
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/trace"
)

// TestCount: a true race of which an access is in an excluded call is none of those left, and a
// false one is neither.
func TestCount(t *testing.T) {
	h := &hidden{left: map[trace.Site]bool{1: true, 2: true, 3: true}}
	really := map[sites]bool{{1, 2}: true, {1, 9}: true}
	var x row
	b := &bench{}
	for _, q := range []sites{{2, 1}, {9, 1}, {2, 3}} {
		b.count(&x, hb, really, q[0], q[1], h)
	}
	if want := (tally{1, 1, 1}); x.found[hb] != want || want.String() != "1+1 (1)" {
		t.Errorf("%v, want %v", x.found[hb], want)
	}
	if x.found[rdit] != (tally{}) || x.found[rdit].String() != "0 (0)" {
		t.Errorf("another detector has %v", x.found[rdit])
	}
}

// TestMedian: of an even number the lower one; the range only where there is one.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []int
		want string
	}{{nil, "-"}, {[]int{4}, "4"}, {[]int{2, 2}, "2"}, {[]int{9, 1, 5}, "5 [1 9]"}, {[]int{9, 1, 5, 6}, "5 [1 9]"}} {
		if got := median(c.list); got != c.want {
			t.Errorf("%v: %s, want %s", c.list, got, c.want)
		}
	}
}

// TestVariants: a name that nothing has is an error, and not an empty table.
func TestVariants(t *testing.T) {
	got, err := variants("hooks,touched", true)
	if want := []variant{{hooks, false}, {hooks, true}, {outside, false}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err := variants("all", false); err != nil || len(got) != 5 {
		t.Errorf("all: %v, %v", got, err)
	}
	for _, names := range []string{"", "hook", "hooks,all"} {
		if got, err := variants(names, false); err == nil {
			t.Errorf("%q: %v, want an error", names, got)
		}
	}
}
