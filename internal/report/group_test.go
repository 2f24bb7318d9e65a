package report

import (
	"slices"
	"testing"
)

// TestGroup: races on one variable or line are one finding, also by way of others; races without a
// name or a line are not.
func TestGroup(t *testing.T) {
	race := func(id, object string, tier Tier, a, b int) *Race {
		return &Race{ID: id, Object: object, Tier: tier, A: Access{Position: Position{File: "x.go", Line: a}}, B: Access{Position: Position{File: "x.go", Line: b}}}
	}
	groups := Group([]*Race{
		race("a", "global x", Observed, 1, 2),
		race("b", "global y", ByPath, 5, 6),
		race("c", "global x", Confirmed, 3, 4),
		race("d", "", ByPath, 6, 7), // a line of b
		race("e", "", ByPath, 0, 0),
		race("f", "", ByPath, 0, 0),
		race("g", "global z", ByValue, 8, 8),
	})
	var got [][]string
	for _, g := range groups {
		var ids []string
		for _, r := range g {
			ids = append(ids, r.ID)
		}
		got = append(got, ids)
	}
	want := [][]string{{"c", "a"}, {"g"}, {"b", "d"}, {"e"}, {"f"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("groups %v, want %v", got, want)
	}
	other := race("h", "captured n", Observed, 1, 2)
	other.A.Func = "p.f.func1"
	one := race("i", "captured n", Observed, 3, 4)
	one.A.Func = "p.g.func1"
	if groups := Group([]*Race{other, one}); len(groups) != 2 {
		t.Errorf("variables of two functions are one finding: %v", groups)
	}
	if groups := Group(nil); groups != nil {
		t.Errorf("groups of nothing: %v", groups)
	}
}
