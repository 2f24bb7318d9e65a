// Package expect reads what the examples expect and compares it with reports.
//
// A comment "// race(name)" at the end of a line marks an access: the lines of one directory with
// the same name are a pair that must be reported (one line alone: it races with itself). A
// directory without marks must have no report. The sets are exact, at each level of the analysis.
//
// # Rungs
//
// "// race(name, rung)" says which rung of the ladder has the pair. Without it the pair is expected
// from level causal on, as what it is. A level reaches these rungs and must report their pairs, and
// no other:
//
//	observed, predicted   causal
//	by-value              value
//	by-path               path
//	replayed              none: a schedule without a witness leads to it, which has to be run
//	base                  path: it needs what RECIPE leaves open, that a pointer read may be another. Its tier is not compared
package expect

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/report"
)

// Pair is two lines, base file name and number each, in order, and the rung that has them.
type Pair struct {
	Lines string
	Rung  Rung
}

func (p Pair) String() string {
	if p.Rung == Any {
		return p.Lines
	}
	return p.Lines + " " + string(p.Rung)
}

// Rung is the tier of a report, or what a mark says of it.
type Rung string

const (
	Any  Rung = ""     // of a mark: observed or predicted
	Base Rung = "base" // of a mark: by value of a pointer
)

// Levels are the levels that have expectations, each with the rungs that it reaches first.
var Levels = []string{"causal", "value", "path"}

var reached = map[Rung]string{
	Any: "causal", Rung(report.Observed): "causal", Rung(report.Predicted): "causal",
	Rung(report.ByValue): "value", "by-path": "path", Base: "path",
	Rung(report.Replayed): "", // no level reaches it: it takes a run
}

// At reports whether a level reaches a rung.
func (r Rung) At(level string) bool {
	at := slices.Index(Levels, reached[r])
	return at >= 0 && at <= slices.Index(Levels, level)
}

// is reports whether a pair of rung got is as a mark wants it.
func (r Rung) is(got Rung) bool {
	switch r {
	case Any:
		return got.At("causal")
	case Base:
		return !got.At("causal")
	}
	return r == got
}

var mark = regexp.MustCompile(`// race\(([^),]*)(?:, ([^)]*))?\)`)

// Read returns the expected pairs of every directory below dir that holds Go files, by
// the directory's name.
func Read(dir string) (map[string][]Pair, error) {
	r := reader{dirs: make(map[string]string), lines: make(map[string]*marked)}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		return r.file(path)
	})
	if err != nil {
		return nil, err
	}
	return r.pairs()
}

// reader gathers the marks of many files.
type reader struct {
	dirs  map[string]string // by base name
	lines map[string]*marked
	order []*marked
}

// marked is a pair in the making.
type marked struct {
	dir, name string
	rung      Rung
	lines     []string
}

func (r *reader) file(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	base := filepath.Base(dir)
	if other := r.dirs[base]; other != "" && other != dir {
		return fmt.Errorf("%s and %s have one name", other, dir)
	}
	r.dirs[base] = dir
	for i, line := range strings.Split(string(data), "\n") {
		for _, m := range mark.FindAllStringSubmatch(line, -1) {
			if err := r.mark(base, m[1], Rung(m[2]), fmt.Sprintf("%s:%d", filepath.Base(path), i+1)); err != nil {
				return fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
		}
	}
	return nil
}

func (r *reader) mark(dir, name string, rung Rung, line string) error {
	if _, ok := reached[rung]; !ok {
		return fmt.Errorf("no rung is called %q", rung)
	}
	p := r.lines[dir+" "+name]
	if p == nil {
		p = &marked{dir: dir, name: name, rung: rung}
		r.lines[dir+" "+name] = p
		r.order = append(r.order, p)
	}
	if p.rung != rung {
		return fmt.Errorf("%s is %q here and %q before", name, rung, p.rung)
	}
	if len(p.lines) == 2 {
		return fmt.Errorf("a third line with the mark %s", name)
	}
	p.lines = append(p.lines, line)
	return nil
}

func (r *reader) pairs() (map[string][]Pair, error) {
	want := make(map[string][]Pair)
	for dir := range r.dirs {
		want[dir] = []Pair{}
	}
	for _, p := range r.order {
		lines := pair(p.lines[0], p.lines[len(p.lines)-1])
		if slices.ContainsFunc(want[p.dir], func(q Pair) bool { return q.Lines == lines }) {
			return nil, fmt.Errorf("%s: %s is marked twice", p.dir, lines)
		}
		want[p.dir] = append(want[p.dir], Pair{lines, p.rung})
	}
	sortAll(want)
	return want, nil
}

func pair(a, b string) string {
	if b < a {
		a, b = b, a
	}
	return a + " " + b
}

func sortAll(pairs map[string][]Pair) {
	for _, ps := range pairs {
		slices.SortFunc(ps, func(p, q Pair) int { return strings.Compare(p.Lines, q.Lines) })
	}
}

// Races returns the reported pairs by the directory they are in. Columns and kinds do not
// count: of several reports of two lines, the lowest rung does.
func Races(races []*report.Race) map[string][]Pair {
	got := make(map[string][]Pair)
	for _, r := range races {
		at := func(a *report.Access) string { return fmt.Sprintf("%s:%d", filepath.Base(a.File), a.Line) }
		dir := filepath.Base(filepath.Dir(r.A.File))
		p := Pair{pair(at(&r.A), at(&r.B)), Rung(r.Tier)}
		i := slices.IndexFunc(got[dir], func(q Pair) bool { return q.Lines == p.Lines })
		switch {
		case i < 0:
			got[dir] = append(got[dir], p)
		case lower(p.Rung, got[dir][i].Rung):
			got[dir][i] = p
		}
	}
	sortAll(got)
	return got
}

func lower(a, b Rung) bool {
	if a.At("causal") && b.At("causal") {
		return a == Rung(report.Observed) && b != a
	}
	return slices.Index(Levels, reached[a]) < slices.Index(Levels, reached[b])
}

// Compare lists what is missing at a level and what is extra. A pair on a rung that is not
// its own is both.
func Compare(want, got map[string][]Pair, level string) (missing, extra []string) {
	for dir, pairs := range want {
		for _, w := range pairs {
			if w.Rung.At(level) && !slices.ContainsFunc(got[dir], func(g Pair) bool { return g.Lines == w.Lines && w.Rung.is(g.Rung) }) {
				missing = append(missing, dir+": "+w.String())
			}
		}
	}
	for dir, pairs := range got {
		for _, g := range pairs {
			if !slices.ContainsFunc(want[dir], func(w Pair) bool { return w.Rung.At(level) && g.Lines == w.Lines && w.Rung.is(g.Rung) }) {
				extra = append(extra, dir+": "+g.String())
			}
		}
	}
	slices.Sort(missing)
	slices.Sort(extra)
	return missing, extra
}
