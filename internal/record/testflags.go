package record

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Flags of go test that a steered test binary is given, with what -run and -skip mean for one test.

// givenFlags are those that it is given as they are.
var givenFlags = []string{"v", "short", "skip", "timeout", "parallel", "failfast", "fullpath"}

// binaryFlags are the flags of the go command that are for the test binary, as that takes them.
func binaryFlags(flags []string) (list []string) {
	for _, f := range flags {
		name, value, inline := strings.Cut(strings.TrimPrefix(strings.TrimLeft(f, "-"), "test."), "=")
		if !slices.Contains(givenFlags, name) {
			continue
		}
		if f = "-test." + name; inline {
			f += "=" + value
		}
		list = append(list, f)
	}
	return list
}

// A testPattern is a value of -run or -skip, as package testing takes it apart: alternatives, and
// in each the regular expressions of a test, its subtests, theirs, and so on.
type testPattern [][]string

func parsePattern(s string) testPattern {
	p := testPattern{nil}
	brackets, parens, from := 0, 0, 0
	cut := func(i int) {
		p[len(p)-1] = append(p[len(p)-1], s[from:i])
		from = i + 1
	}
	for i := 0; i < len(s); i++ {
		outside := brackets == 0 && parens == 0
		switch c := s[i]; {
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1)
		case c == '(' && brackets == 0:
			parens++
		case c == ')' && brackets == 0:
			parens--
		case c == '\\':
			i++
		case c == '/' && outside:
			cut(i)
		case c == '|' && outside:
			cut(i)
			p = append(p, nil)
		}
	}
	cut(len(s))
	return p
}

// tests is the regular expression of the tests themselves.
func (p testPattern) tests() string {
	var list []string
	for _, alternative := range p {
		list = append(list, cmp.Or(alternative[0], "."))
	}
	return strings.Join(list, "|")
}

// of is the pattern that runs one test alone, with the subtests that p names.
func (p testPattern) of(test string) string {
	name := "^" + regexp.QuoteMeta(test) + "$"
	var list []string
	for _, alternative := range p {
		if ok, err := regexp.MatchString(alternative[0], test); ok && err == nil {
			list = append(list, strings.Join(append([]string{name}, alternative[1:]...), "/"))
		}
	}
	if len(list) == 0 || slices.Contains(list, name) {
		return name
	}
	return strings.Join(list, "|")
}

// leavesOut reports whether p, as a value of -skip, leaves out a test with all its subtests.
func (p testPattern) leavesOut(test string) bool {
	return slices.ContainsFunc(p, func(alternative []string) bool {
		ok, err := regexp.MatchString(alternative[0], test)
		return len(alternative) == 1 && ok && err == nil
	})
}
