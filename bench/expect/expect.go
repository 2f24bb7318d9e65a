// Package expect reads what the examples expect and compares it with reports.
//
// A comment "// race(name)" at the end of a line marks an access: the lines of one
// directory with the same name are a pair that must be reported (one line alone: it
// races with itself). A directory without marks must have no report. The sets are exact.
package expect

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"presage/internal/report"
)

// Pair is two lines, base file name and number each, in order.
type Pair string

var mark = regexp.MustCompile(`// race\(([^)]*)\)`)

// Read returns the expected pairs of every directory below dir that holds Go files, by
// the directory's name.
func Read(dir string) (map[string][]Pair, error) {
	want := make(map[string][]Pair)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	if err != nil {
		return nil, err
	}
	lines := make(map[string][]string) // by directory and name
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		example := filepath.Base(filepath.Dir(file))
		if want[example] == nil {
			want[example] = []Pair{}
		}
		for i, line := range strings.Split(string(data), "\n") {
			for _, m := range mark.FindAllStringSubmatch(line, -1) {
				key := example + " " + m[1]
				lines[key] = append(lines[key], fmt.Sprintf("%s:%d", filepath.Base(file), i+1))
			}
		}
	}
	for key, ls := range lines {
		if len(ls) > 2 {
			return nil, fmt.Errorf("%s: %d lines with one mark", key, len(ls))
		}
		example, _, _ := strings.Cut(key, " ")
		want[example] = append(want[example], pair(ls[0], ls[len(ls)-1]))
	}
	for _, pairs := range want {
		slices.Sort(pairs)
	}
	return want, nil
}

func pair(a, b string) Pair {
	if b < a {
		a, b = b, a
	}
	return Pair(a + " " + b)
}

// Races returns the reported pairs by the directory they are in. Columns and kinds do not count.
func Races(races []*report.Race) map[string][]Pair {
	got := make(map[string][]Pair)
	for _, r := range races {
		at := func(a *report.Access) string { return fmt.Sprintf("%s:%d", filepath.Base(a.File), a.Line) }
		dir := filepath.Base(filepath.Dir(r.A.File))
		got[dir] = append(got[dir], pair(at(&r.A), at(&r.B)))
	}
	for dir := range got {
		slices.Sort(got[dir])
		got[dir] = slices.Compact(got[dir])
	}
	return got
}

// Compare lists what is missing and what is extra.
func Compare(want, got map[string][]Pair) (missing, extra []string) {
	for dir, pairs := range want {
		for _, p := range pairs {
			if !slices.Contains(got[dir], p) {
				missing = append(missing, dir+": "+string(p))
			}
		}
	}
	for dir, pairs := range got {
		for _, p := range pairs {
			if !slices.Contains(want[dir], p) {
				extra = append(extra, dir+": "+string(p))
			}
		}
	}
	slices.Sort(missing)
	slices.Sort(extra)
	return missing, extra
}
