package record

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestCountingTests: which tests may call testing.AllocsPerRun. Each case has what is wanted in
// front of the declarations; * is any.
func TestCountingTests(t *testing.T) {
	for _, c := range []string{
		"TestA: func TestA(t *testing.T) { testing.AllocsPerRun(1, f) }; func TestB(t *testing.T) {}",
		"TestA TestB: func TestA(t *testing.T) { check(t) }; func TestB(t *testing.T) { check(t) }; func TestC(t *testing.T) {}; func check(t *testing.T) { testing.AllocsPerRun(1, f) }",
		"ExampleA FuzzA: func ExampleA() { allocs(1, f) }; func FuzzA(f *testing.F) { allocs(1, f) }; var allocs = testing.AllocsPerRun; func BenchmarkA(b *testing.B) { allocs(1, f) }",
		"TestA: func TestA(t *testing.T) { check(t, 2) }; func check(t *testing.T, n int) { if n > 0 { check(t, n-1) }; testing.AllocsPerRun(1, f) }",
		"TestA: func TestA(t *testing.T) { (&s{}).odd(t) }; func (*s) odd(t *testing.T) { (&s{}).even(t) }; func (*s) even(t *testing.T) { (&s{}).odd(t); AllocsPerRun(1, f) }",

		// Nothing names the method: reflection calls it.
		": func BenchmarkA(b *testing.B) { testing.AllocsPerRun(1, f) }; func TestA(t *testing.T) {}",
		"*: func TestA(t *testing.T) { suite.Run(t, new(s)) }; func (*s) TestB() { testing.AllocsPerRun(1, f) }",
		"*: func TestA(t *testing.T) { testing.AllocsPerRun(1, f) }; func helper() { testing.AllocsPerRun(1, f) }",
		"*: func TestA(t *testing.T) { suite.Run(t, new(s)) }; func (*s) Check() { helper() }; func helper() { testing.AllocsPerRun(1, f) }",
	} {
		want, src, _ := strings.Cut(c, ": ")
		file, err := parser.ParseFile(token.NewFileSet(), "a_test.go", "package a; "+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := countingTests([]*ast.File{file})
		if want == "*" && got != nil || want != "*" && !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q", c, got)
		}
	}
}

// TestCountingRuns: which tests run to be counted, by the user's -run.
func TestCountingRuns(t *testing.T) {
	known := []counting{{"m/a", []string{"TestA", "TestBoth"}}, {"m/b", []string{"TestB", "TestBoth"}}, {"m/d", []string{}}}
	unknown := append(slices.Clone(known), counting{path: "m/c"})
	for _, c := range []struct {
		flag string
		list []counting
		want string
	}{
		{"", known, "^(TestA|TestB|TestBoth)$ [m/a m/b]"},
		{"-run=A", known, "^(TestA)$ [m/a]"},
		{"-test.run=Both", known, "^(TestBoth)$ [m/a m/b]"},
		{"-run=A/some", known, "A/some [m/a m/b]"},
		{"-run=^$", known, ""}, // of a benchmark
		{"-run=(", known, ""},
		{"", unknown, "^(TestA|TestB|TestBoth)$ [m/a m/b]; [m/c]"},
		{"-run=^TestA$", unknown, "^(TestA)$ [m/a]; ^TestA$ [m/c]"},
	} {
		config := Config{Flags: strings.Fields(c.flag)}
		var got []string
		for _, r := range config.countingRuns(c.list) {
			got = append(got, strings.TrimSpace(fmt.Sprint(r.pattern, " ", r.packages)))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q, not %q", c.flag, s, c.want)
		}
	}
}
