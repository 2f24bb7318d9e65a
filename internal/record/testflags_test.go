package record

import (
	"slices"
	"strings"
	"testing"
)

// TestPatterns: what -run and -skip mean for one test, as package testing has it.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, test, tests, of string
		out                      bool
	}{
		{".", "TestA", ".", "^TestA$", true},
		{"", "TestA", ".", "^TestA$", true},
		{"TestA", "TestAB", "TestA", "^TestAB$", true},
		{"TestA/x", "TestA", "TestA", "^TestA$/x", false},
		{"TestA/x/y|B/z|C", "TestAB", "TestA|B|C", "^TestAB$/x/y|^TestAB$/z", false},
		{"TestA/x|Test", "TestA", "TestA|Test", "^TestA$", true},
		{"Test(A|B/C)/x[/|]", "TestA", "Test(A|B/C)", "^TestA$/x[/|]", false},
		{`Test\/x`, "TestA", `Test\/x`, "^TestA$", false},
		{"/x", "TestA", ".", "^TestA$/x", false},
		{"TestB", "TestA", "TestB", "^TestA$", false},
	} {
		p := parsePattern(c.pattern)
		if tests, of, out := p.tests(), p.of(c.test), p.leavesOut(c.test); tests != c.tests || of != c.of || out != c.out {
			t.Errorf("%q of %s: %q, %q, %v", c.pattern, c.test, tests, of, out)
		}
	}
	got := binaryFlags([]string{"-short", "-v=true", "-tags=x", "--test.skip=a=b", "-timeout=1s", "-C=short"})
	if want := "-test.short -test.v=true -test.skip=a=b -test.timeout=1s"; strings.Join(got, " ") != want {
		t.Errorf("%q", slices.Clone(got))
	}
}
