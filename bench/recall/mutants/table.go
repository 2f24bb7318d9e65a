package mutants

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// counts are the locations of one class: those that so many runs of -race report.
type counts struct{ all, some, every int }

func (c counts) String() string { return fmt.Sprintf("%d | %d | %d", c.all, c.some, c.every) }

// sums is the row of one level.
type sums struct {
	often, once                counts // found by -race in at least two runs; in one
	rare                       counts // only in a run after the usual ones
	alone, confirmed, original int
	mutants, failed            int // mutants the level was run on; runs without a report
}

// summary is the result of all that a state has.
type summary struct {
	levels     map[string]*sums
	often      int // locations of -race in at least two runs
	once       int // in one
	rare       int // only in a run after the usual ones
	late       int // in the additional runs alone
	mutants    int
	run        int // with a run of -race
	racing     int // with a location
	operators  map[string]*[3]int
	suspicious []string
}

// toolOf is the tool whose runs a level is about.
func toolOf(level string) string {
	if level == "hb" {
		return "hb"
	}
	return "default"
}

func summarise(s *state) *summary {
	t := &summary{levels: map[string]*sums{}, operators: map[string]*[3]int{}}
	for _, l := range levels {
		t.levels[l] = &sums{}
	}
	modules, mutants := s.mutants()
	for _, m := range modules {
		if s.dropped(m) != "" {
			continue
		}
		before := s.runs(m, original)
		for _, x := range mutants[m] {
			t.add(s, m, x, before)
		}
	}
	return t
}

func (t *summary) add(s *state, module, mutant string, before map[string][][]race) {
	t.mutants++
	runs := s.runs(module, mutant)
	op, _, _ := strings.Cut(mutant, " ")
	if t.operators[op] == nil {
		t.operators[op] = &[3]int{}
	}
	o := t.operators[op]
	o[0]++
	if len(runs["race"]) == 0 {
		return
	}
	t.run++
	v := judge(runs, before)
	if len(v.found) > 0 {
		t.racing++
		o[1]++
	}
	o[2] += len(v.found)
	for _, l := range levels {
		if n := len(runs[toolOf(l)]); n > 0 {
			t.levels[l].mutants++
			for _, r := range s.find(module, mutant, toolOf(l)) {
				if r.outcome == "broken" || r.outcome == "timeout" {
					t.levels[l].failed++
				}
			}
		}
	}
	t.addFound(v, runs)
	t.addAlone(v, module, mutant, len(runs["extra"]))
}

// addFound adds the locations of -race.
func (t *summary) addFound(v *verdict, runs map[string][][]race) {
	for _, f := range v.found {
		switch {
		case f.race > 0 && f.rare:
			t.rare++
		case f.race > 1:
			t.often++
		case f.race == 1:
			t.once++
		default:
			t.late++
			continue
		}
		for _, l := range levels {
			n := len(runs[toolOf(l)])
			if n == 0 {
				continue
			}
			c := &t.levels[l].once
			switch {
			case f.rare:
				c = &t.levels[l].rare
			case f.race > 1:
				c = &t.levels[l].often
			}
			c.all++
			if f.level[l] > 0 {
				c.some++
			}
			if f.level[l] == n {
				c.every++
			}
		}
	}
}

// addAlone adds the races that presage alone reports.
func (t *summary) addAlone(v *verdict, module, mutant string, extra int) {
	for _, a := range v.alone {
		for _, l := range levels {
			x := t.levels[l]
			switch {
			case a.level[l] == 0:
			case a.already:
				x.original++
			default:
				x.alone++
				if a.confirmed() {
					x.confirmed++
				}
			}
		}
		if a.suspicious() {
			r := a.races[0]
			t.suspicious = append(t.suspicious, fmt.Sprintf("%s %s: %s %s: %s of %s and %s of %s; %d additional runs of -race",
				module, mutant, r.Tier, r.Object, r.A.Kind, r.A.Line, r.B.Kind, r.B.Line, extra))
		}
	}
}

// suspicious reports whether nothing but presage's own word is for a race that the mutation made.
func (a alone) suspicious() bool { return !a.already && !a.confirmed() }

func (t *summary) print(w io.Writer, s *state) {
	modules, mutants := s.mutants()
	fmt.Fprintf(w, "\n| module | mutants |\n|---|---|\n")
	for _, m := range modules {
		if why := s.dropped(m); why != "" {
			fmt.Fprintf(w, "| %s | dropped: %s |\n", m, why)
		} else {
			fmt.Fprintf(w, "| %s | %d |\n", m, len(mutants[m]))
		}
	}
	fmt.Fprintf(w, "\n| operator | mutants | with a location of -race | locations |\n|---|---|---|---|\n")
	for _, op := range operators {
		if n := t.operators[op]; n != nil {
			fmt.Fprintf(w, "| %s | %d | %d | %d |\n", op, n[0], n[1], n[2])
		}
	}
	fmt.Fprintf(w, "\n%d mutants, %d of them run with -race, %d with a racing location\n", t.mutants, t.run, t.racing)
	fmt.Fprintf(w, "locations of -race: %d in at least two runs, %d in one, %d in run %d or later, %d in the additional runs alone\n", t.often, t.once, t.rare, usual+1, t.late)
	fmt.Fprintf(w, "\n| | mutants | -race in two runs or more | any run | every run | -race in one run | any run | every run | -race in later runs | any run | every run | presage alone | confirmed | in the original as well | runs without a report |\n|%s\n", strings.Repeat("---|", 15))
	for _, l := range levels {
		x := t.levels[l]
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %d | %d | %d | %d |\n", l, x.mutants, x.often, x.once, x.rare, x.alone, x.confirmed, x.original, x.failed)
	}
	if len(t.suspicious) > 0 {
		fmt.Fprintf(w, "\nneither confirmed by a replay nor reported by -race; to be looked at:\n")
		slices.Sort(t.suspicious)
		for _, x := range t.suspicious {
			fmt.Fprintln(w, "  "+x)
		}
	}
}
