package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestMerge merges three reports: races with one ID are one, as in the report that proves it best.
func TestMerge(t *testing.T) {
	config := `{"config":{"protocol_version":"v1.1.0","tool":"presage","version":"x","level":"path","window":0}}` + "\n"
	race := func(id, tier, more string) string {
		return `{"race":{"id":"` + id + `","tier":"` + tier + `","object":"global x","count":2` + more + `}}` + "\n"
	}
	warning := `{"warning":{"code":"c","count":1,"text":"something was not recorded"}}` + "\n"
	summary := func(races string) string {
		return `{"summary":{"races":` + races + `,"events":10,"exit_code":3}}` + "\n"
	}
	var all Merged
	merge(t, &all, "one", config+race("aa", "by-path", "")+warning+summary("1"))
	merge(t, &all, "two", config+race("aa", "confirmed", `,"replay":{"tier":"by-path","tries":1,"judge":"j","seconds":1}`)+race("bb", "observed", "")+warning+summary("2"))
	merge(t, &all, "three", config+summary("0"))
	var out bytes.Buffer
	if err := all.Send(NewJSON(&out)); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		`"id":"aa","tier":"confirmed"`, `"seen":{"first":"one","last":"two","reports":2,"of":3}`,
		`"id":"bb","tier":"observed"`, `"seen":{"first":"two","last":"two","reports":1,"of":3}`,
		`"code":"c","count":2`, `"races":2,"observed":1,"predicted":1,"by_path":1,"confirmed":1`, `"events":30`, `"count":4`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, `{"race":`); n != 2 {
		t.Errorf("%d races", n)
	}
}

// TestMergeAlike merges races with one fingerprint: with others of their report, they are the same
// only at the same places; alone, they have moved.
func TestMergeAlike(t *testing.T) {
	race := func(id string, line int) *Race {
		return &Race{ID: id, Tier: Observed, Object: "global x", Count: 1, A: Access{Position: Position{File: "x.go", Line: line}}, B: Access{Position: Position{File: "x.go", Line: line + 1}}}
	}
	for name, test := range map[string]struct {
		reports [][]*Race
		ids     string
	}{
		"moved":     {[][]*Race{{race("aa", 1)}, {race("aa", 5)}}, "aa"},
		"another":   {[][]*Race{{race("aa", 9)}, {race("aa", 1), race("aa-2", 9)}}, "aa aa-2"},
		"two and 1": {[][]*Race{{race("aa", 1), race("aa-2", 9)}, {race("aa", 9)}}, "aa aa-2"},
		"unnamed":   {[][]*Race{{race("", 1), race("", 9)}, {race("", 20), race("", 30)}}, "   "},
	} {
		var all Merged
		for _, list := range test.reports {
			all.Begin("r")
			for _, r := range list {
				all.Race(r)
			}
			all.Summary(&Summary{})
		}
		if err := all.Send(Ignore{}); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range all.races {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != test.ids {
			t.Errorf("%s: %q, want %q", name, got, test.ids)
		}
	}
	var all Merged
	if all.Summary(&Summary{Vet: &Vetted{}}) == nil {
		t.Error("a report of vet is merged")
	}
}

func merge(t *testing.T, all *Merged, name, text string) {
	t.Helper()
	all.Begin(name)
	if err := HandleJSON(strings.NewReader(text), all); err != nil {
		t.Fatal(err)
	}
}
