package modules

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// key names a test; test "" is the package itself.
type key struct{ pkg, test string }

func (k key) String() string { return strings.TrimSpace(k.pkg + " " + k.test) }

// top is the test that -run starts, for a subtest as well.
func (k key) top() string {
	top, _, _ := strings.Cut(k.test, "/")
	return top
}

var (
	// With -v=test2json, the lines of package testing begin with a mark that distinguishes them
	// from output.
	testLine = regexp.MustCompile(`\x16 *--- (PASS|FAIL|SKIP): (\S+) \(`)
	pkgLine  = regexp.MustCompile(`^\x16?(ok  |FAIL|\?   )\t(\S+)`)
)

// changing is what differs from run to run in names that tests make of values: addresses, and the
// time.
var changing = regexp.MustCompile(`0x[0-9a-f]{5,}|time\.Date\([^)]*\)`)

// outcomes reads what go test -v=test2json printed. The tests of a package come before the line
// of the package. What changes is left out of the names of subtests; names that are then the same
// get numbers in the order of the output.
func outcomes(out []byte) map[key]string {
	all := map[key]string{}
	var tests []key
	for line := range bytes.Lines(out) {
		for _, m := range testLine.FindAllSubmatch(line, -1) {
			k := key{"", changing.ReplaceAllString(string(m[2]), "…")}
			if same := k.test; same != string(m[2]) {
				for n := 2; all[k] != ""; n++ {
					k.test = fmt.Sprintf("%s%%%d", same, n)
				}
			}
			all[k] = string(m[1])
			tests = append(tests, k)
		}
		m := pkgLine.FindSubmatch(line)
		if m == nil {
			continue
		}
		pkg := string(m[2])
		for _, t := range tests {
			all[key{pkg, t.test}] = all[t]
			delete(all, t)
		}
		tests = tests[:0]
		switch {
		case bytes.Contains(line, []byte("[build failed]")), bytes.Contains(line, []byte("[setup failed]")):
			all[key{pkg, ""}] = notBuilt
		case m[1][0] == 'F':
			all[key{pkg, ""}] = "FAIL"
		case m[1][0] == 'o':
			all[key{pkg, ""}] = "PASS"
		}
	}
	return all
}

// lines counts the packages that have ended.
func lines(out []byte) int {
	n := 0
	for line := range bytes.Lines(out) {
		if pkgLine.Match(line) {
			n++
		}
	}
	return n
}

const notBuilt = "NOT BUILT"

// difference is a test that ended differently.
type difference struct {
	key
	plain, instrumented string // "" did not run
}

func (d difference) String() string {
	return fmt.Sprintf("%s: plain %q, instrumented %q", d.key, d.plain, d.instrumented)
}

// compare returns the tests that differ. Packages that do not build plain are left out.
func compare(plain, instrumented map[key]string) []difference {
	all := maps.Clone(plain)
	maps.Copy(all, instrumented)
	var list []difference
	for k := range all {
		if p, i := plain[k], instrumented[k]; p != i && plain[key{k.pkg, ""}] != notBuilt {
			list = append(list, difference{k, p, i})
		}
	}
	slices.SortFunc(list, func(a, b difference) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// count returns how many tests, not packages, ended as said; "" counts all.
func count(m map[key]string, outcome string) int {
	n := 0
	for k, o := range m {
		if k.test != "" && (outcome == "" || o == outcome) {
			n++
		}
	}
	return n
}
