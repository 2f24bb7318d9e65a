package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/presage-race/presage/internal/trace"
)

// Test is a test, example, benchmark or fuzz test that a race is of. Without a name it stands for
// the package: a race of its initialisation or of TestMain.
type Test struct {
	Package string `json:"package,omitempty"`
	Name    string `json:"name,omitempty"` // as go test -json has it: TestParse/empty_input
	// which of the runs of one name it is, from 1; 0: there was one, or it is not known
	Run int `json:"run,omitempty"`
}

func compareTests(a, b Test) int {
	return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Run, b.Run))
}

// In returns the tests that the race is of. Without those of a recording, it looks for test
// functions on the stacks.
func (r *Race) In() []Test {
	if len(r.Tests) > 0 {
		return r.Tests
	}
	var sides [2]Test
	for i, a := range []*Access{&r.A, &r.B} {
		for _, f := range slices.Concat(a.Stack, a.Goroutine.Created) {
			if name := testFunc(f.Func, f.File); name != "" {
				sides[i] = Test{Package: packageOf(f.Func), Name: name}
				break
			}
		}
	}
	return both(sides[0], sides[1])
}

// both returns the tests of a race between accesses of two tests. An access of no test is of that
// of the other one. Of a test and one of its subtests, it is the subtest that fails: with it, the
// test does.
func both(a, b Test) []Test {
	within := func(a, b Test) bool { return a.Package == b.Package && strings.HasPrefix(a.Name, b.Name+"/") }
	switch {
	case a.Name == "" && b.Name == "":
		return nil
	case b.Name == "" || a == b || within(a, b):
		return []Test{a}
	case a.Name == "" || within(b, a):
		return []Test{b}
	}
	list := []Test{a, b}
	slices.SortFunc(list, compareTests)
	return list
}

// addTests adds the tests of the same race in another trace.
func (r *Race) addTests(list []Test) {
	r.Tests = slices.Concat(r.Tests, list)
	slices.SortFunc(r.Tests, compareTests)
	r.Tests = slices.Compact(r.Tests)
}

// testNames are the names of the tests that the race is of, for a sentence; "" if it is of none.
func (r *Race) testNames() string {
	var names []string
	for _, t := range r.In() {
		if t.Name != "" && !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return names[0]
	case n > maxTests:
		names = append(names[:maxTests-1], "others")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// maxTests is the number of tests that a sentence names.
const maxTests = 4

// Package is the package whose tests show the race, or else that of an access; "" if neither is
// known.
func (r *Race) Package() string {
	for _, t := range r.In() {
		if t.Package != "" {
			return t.Package
		}
	}
	return cmp.Or(packageOf(r.A.Func), packageOf(r.B.Func))
}

// packageOf is the import path of the package that is tested with a function: also with "(*p.T).m",
// as the static lens names methods.
func packageOf(function string) string {
	function = strings.TrimLeft(function, "(*")
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return strings.TrimSuffix(function[:slash]+name, "_test")
}

// testFunc returns the test function that a function of a file is, or is a closure of; "" if there
// is none.
func testFunc(function, file string) string {
	if !strings.HasSuffix(file, "_test.go") {
		return ""
	}
	// the package, which may have dots, the type of a method, the function, closures
	words := strings.Split(function[strings.LastIndex(function, "/")+1:], ".")
	if i := slices.IndexFunc(words[1:], isTest); i >= 0 {
		return words[1+i]
	}
	return ""
}

// isTest reports whether the go command takes a function of this name for a test.
func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && name != "TestMain" {
			first, _ := utf8.DecodeRuneInString(rest)
			return rest == "" || !unicode.IsLower(first)
		}
	}
	return false
}

// tests returns the tests that a race is of: those of the goroutines of its accesses.
func (l *Locator) tests(s *Spec) []Test {
	if list := both(l.testOf(s.A), l.testOf(s.B)); list != nil {
		return list
	}
	if l.meta.TestPackage != "" {
		return []Test{{Package: l.meta.TestPackage}}
	}
	return nil
}

// maxAncestors bounds the search for the goroutine of a test.
const maxAncestors = 10_000

// testOf returns the test of an event: the one that its goroutine runs, or the closest ancestor
// that runs one. An example has no goroutine of its own, but a function on the stack.
func (l *Locator) testOf(event int64) Test {
	p := l.seen[event]
	id, stack := p.event.G, p.stack
	for range maxAncestors {
		g := l.goroutine(id)
		parent := g.parent
		if int(id) < len(l.meta.Goroutines) {
			m := &l.meta.Goroutines[id]
			if m.Test != "" {
				return Test{l.meta.TestPackage, m.Test, l.run(id, m.Test)}
			}
			parent = cmp.Or(parent, m.Parent)
		}
		for f := stack; f != nil; f = f.outer {
			function := l.function(f.fn)
			if name := testFunc(function, l.position(f.fn).File); name != "" {
				return Test{cmp.Or(l.meta.TestPackage, packageOf(function)), name, 0}
			}
		}
		if id, stack = parent, g.created; id == 0 {
			break
		}
	}
	return Test{}
}

// run returns which of the runs of a test a goroutine is. A benchmark has several goroutines for
// one run. What runs of a process have in common with those of its parent is not known.
func (l *Locator) run(id trace.GoID, test string) int {
	n, all := 0, 0
	for i := range l.meta.Goroutines {
		if l.meta.Goroutines[i].Test == test {
			if all++; i <= int(id) {
				n++
			}
		}
	}
	if all == 1 || strings.HasPrefix(test, "Benchmark") || l.meta.Process != nil && l.meta.Process.Child {
		return 0
	}
	return n
}
