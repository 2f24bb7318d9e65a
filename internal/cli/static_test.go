package cli

import (
	"testing"

	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

func TestLastName(t *testing.T) {
	for expr, want := range map[string]string{
		"n": "n", "s.n": "n", "(new S).n": "n", "s.n[…]": "n", "m.table[f(a[0])]": "table", "len(s.n)": "n", "*p": "p", "<-c": "c", "c <- x": "x", "…": "…", "": "",
	} {
		if got := lastName(expr); got != want {
			t.Errorf("lastName(%q) = %q, want %q", expr, got, want)
		}
	}
}

// at makes an instruction that has nothing but a site.
func at(site trace.Site) []instruction {
	return []instruction{{block: &plan.Block{Instrs: []plan.Instr{{Site: site}}}}}
}

// TestJudge: what comes before what was executed.
func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b trace.Site
		race *report.Race
		want report.Mark
	}{
		{"a race confirms it", 1, 2, &report.Race{ID: "x"}, report.MarkConfirmed},
		{"nothing orders the two", 1, 2, nil, report.MarkUnwitnessed},
		{"in the other order", 2, 1, nil, report.MarkUnwitnessed},
		{"another pair of an access that nothing orders", 1, 3, nil, report.MarkExecuted},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := lens{unwitness: map[[2]trace.Site]bool{{1, 2}: true}}
			for site := range trace.Site(4) {
				s.seen.add(site, 1+int64(site))
			}
			var w report.StaticWarning
			s.judge(&w, [2][]instruction{at(test.a), at(test.b)}, test.race)
			if w.Vet.Mark != test.want {
				t.Errorf("mark %q, want %q", w.Vet.Mark, test.want)
			}
		})
	}
}

// TestApart: goroutines of two processes are two.
func TestApart(t *testing.T) {
	for _, test := range []struct {
		name   string
		visits [][2]int64 // site, goroutine
		want   bool
	}{
		{"one goroutine", [][2]int64{{1, 5}, {2, 5}}, false},
		{"two", [][2]int64{{1, 5}, {2, 6}}, true},
		{"one of two", [][2]int64{{1, 5}, {2, 6}, {2, 5}}, true},
		{"of one nothing is known", [][2]int64{{1, 5}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s sites
			for _, v := range test.visits {
				s.add(trace.Site(v[0]), v[1])
			}
			if got := s.apart([2][]instruction{at(1), at(2)}); got != test.want {
				t.Errorf("apart: %v, want %v", got, test.want)
			}
		})
	}
}
