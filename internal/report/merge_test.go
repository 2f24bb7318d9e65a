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

func merge(t *testing.T, all *Merged, name, text string) {
	t.Helper()
	all.Begin(name)
	if err := HandleJSON(strings.NewReader(text), all); err != nil {
		t.Fatal(err)
	}
}
