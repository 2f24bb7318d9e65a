package report

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
)

// TestTests finds the tests of races between goroutines. Goroutine 1 is main; 2 runs TestA, 3 and 4
// its subtests, 5 is of no test, 6 is started by 3, 7 by 5; 8 and 9 run TestB, one after the other.
func TestTests(t *testing.T) {
	meta, _ := bank()
	meta.TestPackage = "a/b"
	meta.Goroutines = []trace.Goroutine{{}, {}, {Parent: 1, Test: "TestA"}, {Parent: 2, Test: "TestA/x"}, {Parent: 2, Test: "TestA/x/y"}, {Parent: 1}, {Parent: 3}, {Parent: 5}, {Parent: 1, Test: "TestB"}, {Parent: 1, Test: "TestB"}}
	for _, c := range []struct {
		a, b trace.GoID
		want []string
	}{
		{2, 6, []string{"TestA/x"}},
		{3, 6, []string{"TestA/x"}},
		{3, 4, []string{"TestA/x/y"}},
		{7, 4, []string{"TestA/x/y"}},
		{5, 7, []string{""}},
		{1, 2, []string{"TestA"}},
		{2, 9, []string{"TestA", "TestB 2"}},
		{8, 9, []string{"TestB 1", "TestB 2"}},
	} {
		for _, pair := range [][2]trace.GoID{{c.a, c.b}, {c.b, c.a}} {
			l := NewLocator(meta, nil, nil, Types{})
			for i, g := range pair {
				l.seen[int64(i)] = place{event: trace.Event{G: g}}
			}
			var got []string
			for _, x := range l.tests(&Spec{A: 0, B: 1}) {
				name := x.Name
				if x.Run > 0 {
					name += " " + string(rune('0'+x.Run))
				}
				if got = append(got, name); x.Package != "a/b" {
					t.Errorf("package %q", x.Package)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("goroutines %v (-want +got):\n%s", pair, diff)
			}
		}
	}
}

// TestTestFunc: which functions of which files are of tests.
func TestTestFunc(t *testing.T) {
	for _, c := range []struct{ function, file, want string }{
		{"a/b.TestX.func1", "x_test.go", "TestX"},
		{"a/b.TestX.func1", "x.go", ""},
		{"gopkg.in/b.v2.ExampleX", "x_test.go", "ExampleX"},
		{"b.(*suite).TestX", "x_test.go", "TestX"},
		{"b.TestMain", "x_test.go", ""},
		{"b.Testify", "x_test.go", ""},
		{"", "x_test.go", ""},
	} {
		if got := testFunc(c.function, c.file); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.function, c.file, got, c.want)
		}
	}
	for function, want := range map[string]string{"a/b.TestX.func1": "a/b", "a/b_test.TestX": "a/b", "main.main": "main", "": ""} {
		if got := packageOf(function); got != want {
			t.Errorf("package of %q: %q, want %q", function, got, want)
		}
	}
}

// TestSetTests: a race that several traces show is of the tests of all.
func TestSetTests(t *testing.T) {
	race := func(tier Tier, tests ...Test) Race {
		at := func(line int) Access { return Access{Position: Position{"x.go", line, 1}, Kind: "write"} }
		return Race{Tier: tier, A: at(1), B: at(2), Tests: tests}
	}
	x, y, z := Test{Package: "a", Name: "TestX"}, Test{Package: "a", Name: "TestY"}, Test{Package: "b"}
	races := []Race{race(Predicted, y), race(Observed, z, x), race(ByPath, x)}
	for range 2 {
		var s Set
		for _, r := range races {
			s.Add(r)
		}
		if diff := cmp.Diff([]Test{x, y, z}, s.Races()[0].Tests); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		slices.Reverse(races)
	}
}
