package mutants

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// readTestRace reads "12f 15g": a race of line 12 in f and line 15 in g of one file; ? is a lost
// stack, * confirmed, ! observed.
func readTestRace(text string) race {
	var r race
	if strings.HasSuffix(text, "*") {
		r.Tier = "confirmed"
	}
	r.Observed = strings.HasSuffix(text, "!")
	f := strings.Fields(strings.TrimRight(text, "*!"))
	for i, a := range []*access{&r.A, &r.B} {
		if f[i] != "?" {
			a.Line, a.Func = "m.go:"+strings.TrimRight(f[i], "fgh"), strings.TrimLeft(f[i], "0123456789")
		}
	}
	return r
}

// readTestRuns reads runs, with semicolons; races of a run have commas.
func readTestRuns(text string) (runs [][]race) {
	if text == "" {
		return nil
	}
	for _, run := range strings.Split(text, ";") {
		var races []race
		for _, r := range strings.Split(run, ",") {
			if strings.TrimSpace(r) != "" {
				races = append(races, readTestRace(strings.TrimSpace(r)))
			}
		}
		runs = append(runs, races)
	}
	return runs
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name                         string
		race, extra, hb, def, before string
		want                         string
	}{
		{name: "nothing", race: ";;", hb: ";", want: ""},
		{name: "the same pair", race: "1f 2g; 1f 2g;", hb: "2g 1f;", want: "1 2: race 2 hb 1 observed 0 default 0\n"},
		{name: "a variable is a component", race: "1f 2g; 2g 3h; 3h 3h", hb: "1f 3h", want: "1 2 3: race 3 hb 1 observed 0 default 0\n"},
		{name: "a new race connects two components", race: "1f 2f, 3g 4g, 2f 3g", want: "1 2 3 4: race 1 hb 0 observed 0 default 0\n"},
		{name: "two variables", race: "1f 2g, 5f 6g; 5f 6g", hb: "5f 6g", want: "1 2: race 1 hb 0 observed 0 default 0\n5 6: race 2 hb 1 observed 0 default 0\n"},
		{name: "another line of the same function", race: "1f 2g", hb: "1f 3g", want: "1 2: race 1 hb 1 observed 0 default 0\n"},
		{name: "another function", race: "1f 2g", hb: "1f 3h", want: "1 2: race 1 hb 0 observed 0 default 0\nalone 1 3: hb 1 observed 0 default 0 suspicious\n"},
		{name: "no line in common", race: "1f 2g", hb: "3f 4g", want: "1 2: race 1 hb 0 observed 0 default 0\nalone 3 4: hb 1 observed 0 default 0 suspicious\n"},
		{name: "a lost stack", race: "1f ?", hb: "3h 1f", want: "1: race 1 hb 1 observed 0 default 0\n"},
		{name: "both stacks lost", race: "? ?", want: ""},
		{name: "observed and confirmed", race: ";", def: "1f 2g!; 1f 2g*; 1f 2g", want: "alone 1 2: hb 0 observed 1 default 3\n"},
		{name: "an additional run finds it", race: ";", extra: "1f 2g", def: "1f 2g", want: "1 2: race 0 rare hb 0 observed 0 default 1\n"},
		{name: "in the fourth run", race: ";;;1f 2g", def: "1f 2g", want: "1 2: race 1 rare hb 0 observed 0 default 1\n"},
		{name: "in the third and the fourth", race: ";;1f 2g;1f 2g", want: "1 2: race 2 hb 0 observed 0 default 0\n"},
		{name: "in the original, too", race: ";", def: "1f 2g", before: "1f 2g", want: "alone 1 2: hb 0 observed 0 default 1 already\n"},
	} {
		runs := map[string][][]race{"race": readTestRuns(c.race), "extra": readTestRuns(c.extra), "hb": readTestRuns(c.hb), "default": readTestRuns(c.def)}
		v := judge(runs, map[string][][]race{"default": readTestRuns(c.before)})
		var got strings.Builder
		show := func(level map[string]int) string {
			return fmt.Sprintf("hb %d observed %d default %d", level["hb"], level["observed"], level["default"])
		}
		for _, f := range v.found {
			rare := ""
			if f.rare {
				rare = " rare"
			}
			fmt.Fprintf(&got, "%s: race %d%s %s\n", strings.ReplaceAll(f.name(), "m.go:", ""), f.race, rare, show(f.level))
		}
		for _, a := range v.alone {
			fmt.Fprintf(&got, "alone %s: %s", strings.ReplaceAll(a.name(), "m.go:", ""), show(a.level))
			if a.already {
				got.WriteString(" already")
			}
			if a.suspicious() {
				got.WriteString(" suspicious")
			}
			got.WriteString("\n")
		}
		if got.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got.String(), c.want)
		}
	}
}

// The locations do not depend on the order of the races.
func TestLocationsOrder(t *testing.T) {
	races := readTestRuns("1f 2f, 3g 4g, 2f 3g, 7h 8h, 9f ?, 8h 9f")[0]
	want := ""
	for range races {
		races = append(races[1:], races[0])
		backward := slices.Clone(races)
		slices.Reverse(backward)
		for _, list := range [][]race{races, backward} {
			got := ""
			for _, l := range locations(list) {
				got += l.name() + "\n"
			}
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		}
	}
}
