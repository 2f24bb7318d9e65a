package mutants

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// location is a racing location: the lines that races connect.
type location struct {
	lines map[string]bool
	funcs map[string]bool // by file and name
	lost  bool            // the line of an access is unknown
	races []race
}

// locations are the connected components of the graph whose nodes are lines and whose edges are
// races, in the order of their first races.
func locations(races []race) []*location {
	var all []*location
	for _, r := range races {
		l := &location{lines: map[string]bool{}, funcs: map[string]bool{}}
		for _, a := range []access{r.A, r.B} {
			if a.Line == "" {
				l.lost = true
				continue
			}
			l.lines[a.Line], l.funcs[a.function()] = true, true
		}
		if len(l.lines) == 0 {
			continue
		}
		l.races = []race{r}
		all = slices.DeleteFunc(all, func(k *location) bool {
			for line := range k.lines {
				if l.lines[line] {
					maps.Copy(l.lines, k.lines)
					maps.Copy(l.funcs, k.funcs)
					l.lost = l.lost || k.lost
					l.races = slices.Concat(k.races, l.races)
					return true
				}
			}
			return false
		})
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(x, y *location) int { return cmp.Compare(x.name(), y.name()) })
	return all
}

// function names the declared function of an access and its file.
func (a access) function() string {
	file, _, _ := cutLast(a.Line, ":")
	return file + " " + a.Func
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// name lists the lines.
func (l *location) name() string { return strings.Join(slices.Sorted(maps.Keys(l.lines)), " ") }

// matches reports whether a race is at the location (match, in the package doc).
func (l *location) matches(r race) bool {
	return l.lines[r.A.Line] && l.near(r.B) || l.lines[r.B.Line] && l.near(r.A)
}

func (l *location) near(a access) bool {
	return l.lost || l.lines[a.Line] || a.Line != "" && l.funcs[a.function()]
}

// has reports whether a run has a race at the location.
func (l *location) has(races []race) bool { return slices.ContainsFunc(races, l.matches) }

// runs counts the runs that have a race at the location.
func (l *location) runs(runs [][]race) int {
	n := 0
	for _, races := range runs {
		if l.has(races) {
			n++
		}
	}
	return n
}

// confirmed reports whether a replay confirmed a race of the location.
func (l *location) confirmed() bool {
	return slices.ContainsFunc(l.races, func(r race) bool { return r.Tier == "confirmed" })
}

// verdict compares the detectors on one mutant.
type verdict struct {
	found []found // locations of -race
	alone []alone // locations of presage
}

// usual is the number of runs in which a race of -race is not rare.
const usual = 3

// found is a location of -race and how many runs have it.
type found struct {
	*location
	race  int
	rare  bool // the first runs, as many as are usual, do not have it
	level map[string]int
}

// alone is a location that presage reports and -race does not.
type alone struct {
	*location
	level   map[string]int
	already bool // in the original, too
}

// The levels of presage that are compared. Observed are those races of the default level that are
// unordered in the recorded run itself, which is what -level hb looks for.
var levels = []string{"hb", "observed", "default"}

// judge compares the runs of a mutant, by tool. before has the runs of the original.
func judge(runs, before map[string][][]race) *verdict {
	runs, before = withObserved(runs), withObserved(before)
	v := &verdict{}
	theirs := locations(slices.Concat(slices.Concat(runs["race"]...), slices.Concat(runs["extra"]...)))
	for _, l := range theirs {
		all := runs["race"]
		f := found{l, l.runs(all), l.runs(all[:min(usual, len(all))]) == 0, map[string]int{}}
		for _, name := range levels {
			f.level[name] = l.runs(runs[name])
		}
		v.found = append(v.found, f)
	}
	var rest []race
	for _, tool := range []string{"hb", "default"} {
		for _, r := range slices.Concat(runs[tool]...) {
			if !slices.ContainsFunc(theirs, func(l *location) bool { return l.matches(r) }) {
				rest = append(rest, r)
			}
		}
	}
	for _, l := range locations(rest) {
		a := alone{location: l, level: map[string]int{}}
		for _, name := range levels {
			a.level[name] = l.runs(runs[name])
			a.already = a.already || l.runs(before[name]) > 0
		}
		v.alone = append(v.alone, a)
	}
	return v
}

func withObserved(runs map[string][][]race) map[string][][]race {
	runs = maps.Clone(runs)
	if runs == nil {
		return nil
	}
	runs["observed"] = nil
	for _, races := range runs["default"] {
		var list []race
		for _, r := range races {
			if r.Observed {
				list = append(list, r)
			}
		}
		runs["observed"] = append(runs["observed"], list)
	}
	return runs
}
