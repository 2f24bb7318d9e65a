package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/report"
)

// many is a report with 500 races, each with the same long names or with short ones.
func many(text string) *stored {
	s := &stored{}
	for i := range 500 {
		r := raceOf(fmt.Sprintf("%012x", i*7919), text, 3)
		r.Object = fmt.Sprint("object", i)
		r.A.Line, r.B.Line = 10*i+1, 10*i+2
		s.races = append(s.races, r)
	}
	return s
}

// TestPages: the pages of a list have each race once, in the order of the report, and each says
// what is left out. A page ends where the answer would be too long.
func TestPages(t *testing.T) {
	for _, x := range []struct {
		text  string
		limit int
		pages int
	}{{"x", 0, 20}, {"x", 100, 5}, {strings.Repeat("long name ", 40), 100, 0}} {
		kept := many(x.text)
		s := connect(t, kept, nil)
		var got []string
		pages := 0
		for offset := 0; ; pages++ {
			var out racesOut
			arguments := fmt.Sprintf(`{"offset":%d,"limit":%d}`, offset, x.limit)
			if x.limit == 0 {
				arguments = fmt.Sprintf(`{"offset":%d}`, offset)
			}
			text, isError := answer(t, s, "list_races", arguments, &out)
			if isError {
				t.Fatal(text)
			}
			if again, _ := answer(t, s, "list_races", arguments, nil); again != text {
				t.Error("another answer to the same call")
			}
			for _, r := range out.Races {
				got = append(got, r.ID)
				wants(t, text, r.ID)
			}
			if out.Total != 500 || len(got)+out.LeftOut != 500 || len(out.Races) == 0 || out.Findings != 500 {
				t.Fatalf("offset %d: %d races, %d left out", offset, len(got), out.LeftOut)
			}
			if out.LeftOut == 0 {
				break
			}
			wants(t, text, fmt.Sprintf("%d races are left out behind this page: offset %d has the next.", out.LeftOut, out.NextOffset))
			offset = out.NextOffset
		}
		var want []string
		for _, r := range kept.races {
			want = append(want, r.ID)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if pages++; x.pages != 0 && pages != x.pages {
			t.Errorf("limit %d: %d pages, want %d", x.limit, pages, x.pages)
		}
	}
}

// TestList: filters, gaps, and what is counted alone.
func TestList(t *testing.T) {
	observed := raceOf("aaa", "one", 2)
	observed.Tier = report.Observed
	other := raceOf("bbb", "two", 2)
	kept := &stored{
		races: []*report.Race{other, observed}, candidates: []*report.Candidate{{ID: "ccc", A: other.A, B: other.B, Object: "cand"}},
		suppressed: []*report.Suppressed{{Race: raceOf("ddd", "three", 2), By: report.ByComment, Reason: "known", Comment: &report.Position{File: "x.go", Line: 1}}},
		warnings:   []*report.Warning{{Code: "code", Count: 2, Text: "2 functions were left as written: use -x"}},
		summary: report.Summary{Coverage: &report.Coverage{Searched: report.Part, Gaps: []report.Gap{{Code: "code", Count: 2, Text: "2 functions left as written"}}},
			Suppressed: &report.Suppressions{Ignored: 1}},
	}
	s := connect(t, kept, nil)
	for _, x := range []struct{ arguments, want string }{
		{`{}`, "aaa bbb"}, // the surest first
		{`{"tier":"observed"}`, "aaa"}, {`{"tier":"by-path"}`, ""}, {`{"tier":"candidate"}`, "ccc"}, {`{"suppressed":true}`, "ddd"},
		{`{"file":"two.go"}`, "bbb"}, {`{"test":"Testone"}`, "aaa"}, {`{"test":"Testone","file":"two"}`, ""}, {`{"offset":1}`, "bbb"}, {`{"offset":7}`, ""}, {`{"run":"1","limit":1}`, "aaa"},
	} {
		var out racesOut
		text, isError := answer(t, s, "list_races", x.arguments, &out)
		var got []string
		for _, r := range out.Races {
			got = append(got, r.ID)
		}
		if isError || strings.Join(got, " ") != x.want {
			t.Errorf("%s: %v, want %s: %s", x.arguments, got, x.want, text)
		}
		if out.Searched != "part" || out.Suppressed != 1 || out.Candidates != 1 || len(out.Gaps) != 1 || out.Gaps[0] != (gap{"2 functions left as written", "2 functions were left as written: use -x", false}) {
			t.Errorf("%s: %+v", x.arguments, out)
		}
		wants(t, text, "searched only in part", "not searched: 2 functions left as written", "1 race is suppressed (argument suppressed lists it)", "1 pair has no proof")
	}
	if text, _ := answer(t, s, "list_races", `{"offset":7}`, nil); !strings.Contains(text, "There is no race behind offset 7: 2 races in all.") {
		t.Error(text)
	}
	for arguments, want := range map[string]string{
		`{"tier":"sure"}`: `there is no tier "sure": there are confirmed, observed,`, `{"offset":-1}`: "offset -1 is negative", `{"limit":-1}`: "limit -1 is not between 1 and 100",
		`{"limit":101}`: "limit 101", `{"run":"2"}`: "no such run",
	} {
		if text, isError := answer(t, s, "list_races", arguments, nil); !isError || !strings.Contains(text, want) {
			t.Errorf("%s: %v %s", arguments, isError, text)
		}
	}
}

// TestFind: an ID may be cut. Of one that is not there, the error says which there are.
func TestFind(t *testing.T) {
	c := &collected{run: "1"}
	none := &collected{run: "1"}
	for _, id := range []string{"abc111", "abc111-2", "abd222", "fff333"} {
		c.races = append(c.races, raceOf(id, "x", 2))
	}
	c.suppressed = []*report.Suppressed{{Race: raceOf("5up", "x", 2)}}
	c.candidates = []*report.Candidate{{ID: "cand"}}
	for id, want := range map[string]string{
		"abc111": "abc111", "abc111-": "abc111-2", "abd": "abd222", "f": "fff333", "5": "5up", "ca": "cand",
		"ab":      "! ab is the beginning of 3 IDs: abc111, abc111-2, abd222",
		"":        `! the report of run 1 has no race "". It has abc111, abc111-2, abd222, fff333, 5up, cand. list_races has`,
		"abd223":  `! the report of run 1 has no race "abd223"; did you mean abd222? It has abc111,`,
		"zzzzzz":  `! the report of run 1 has no race "zzzzzz". It has abc111,`,
		"fff3334": `! the report of run 1 has no race "fff3334"; did you mean fff333?`,
	} {
		f, err := c.find(id)
		got := ""
		if err != nil {
			got = "! " + err.Error()
		} else {
			got = f.ID
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
	if _, err := none.find("abc"); err == nil || err.Error() != "the report of run 1 has no race" {
		t.Error(err)
	}
	all := many("x")
	c = &collected{races: all.races}
	if _, err := c.find(strings.Repeat("long", 100_000)); err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "and 480 more") {
		t.Errorf("%.2000v", err)
	}
}

// TestUnknown: the tools that take an ID say which there are.
func TestUnknown(t *testing.T) {
	kept := &stored{races: []*report.Race{raceOf("abc", "x", 2)}, candidates: []*report.Candidate{{ID: "can"}}}
	s := connect(t, kept, nil)
	for _, tool := range []string{"explain_race", "step_race", "replay_race"} {
		text, isError := answer(t, s, tool, `{"id":"abd"}`, nil)
		if !isError {
			t.Error(tool)
		}
		wants(t, text, `has no race "abd"; did you mean abc? It has abc, can.`)
		if text, isError = answer(t, s, tool, `{}`, nil); !isError || !strings.Contains(text, `"id"`) {
			t.Errorf("%s: %s", tool, text)
		}
	}
	for _, tool := range []string{"step_race", "replay_race"} {
		text, isError := answer(t, s, tool, `{"id":"can"}`, nil)
		if !isError {
			t.Error(tool)
		}
		wants(t, text, "race can ", "have no witness")
	}
	kept.replay = func(context.Context, string, func(string)) (*Replayed, error) {
		return nil, errors.New("it has changed")
	}
	if text, isError := answer(t, s, "replay_race", `{"id":"abc"}`, nil); !isError || text != "race abc was not replayed: it has changed" {
		t.Error(text)
	}
}

// TestLong: an answer is bounded, whatever a report has, and says what it leaves out.
func TestLong(t *testing.T) {
	r := raceOf("abc", strings.Repeat("name ", 100), 300)
	for range 200 {
		r.A.Stack = append(r.A.Stack, r.A.Stack[0])
		r.A.Goroutine.Created = append(r.A.Goroutine.Created, r.A.Stack[0])
		r.Hidden.Edges = append(r.Hidden.Edges, report.Edge{From: r.Witness.Steps[0], To: r.Witness.Steps[1]})
	}
	s := connect(t, &stored{races: []*report.Race{r}, pair: func(to Explanations) (string, error) {
		e := &report.Explained{A: r.A, B: r.B, Names: map[int]string{}}
		for i := range 200 {
			e.Names[i] = "x"
			e.Links = append(e.Links, report.LinkStep{From: r.Witness.Steps[0], Calls: make([]report.CallOf, 10)})
		}
		errs := []error{to.Race(r)}
		for range 20 {
			errs = append(errs, to.Explained(e))
		}
		return "", errors.Join(errs...)
	}}, nil)
	var out struct {
		Left []leftOut `json:"left_out"`
		Race struct{ Witness struct{ Steps []report.Step } }
		More int `json:"more_pairs"`
	}
	text, isError := answer(t, s, "explain_race", `{"id":"abc"}`, &out)
	steps := out.Race.Witness.Steps
	i := slices.IndexFunc(out.Left, func(l leftOut) bool { return l.List == "race.witness.steps" })
	if isError || i < 0 || len(steps) == 0 || out.Left[i].Items != 300-len(steps) || !strings.HasPrefix(steps[len(steps)-1].Source, "300name") {
		t.Errorf("%v, %d steps, of %+v", isError, len(steps), out.Left)
	}
	wants(t, text, "left out)", fmt.Sprintf("The JSON leaves out %d items of race.a.goroutine.created", 200-len(steps)))
	text, isError = answer(t, s, "explain_pair", `{"a":"a.go:1","b":"b.go:2:3"}`, &out)
	if isError || out.More != 13 {
		t.Errorf("%d more: %s", out.More, text)
	}
	if text, isError = answer(t, s, "step_race", `{"id":"abc","from":1,"to":300}`, nil); isError {
		t.Error(text)
	}
}
