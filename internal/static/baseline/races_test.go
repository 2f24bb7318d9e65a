package baseline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static/baseline"
)

func TestRaces(t *testing.T) {
	want := []baseline.Race{
		{ID: "ffffffffffff-2", Packages: []string{"a", "a/b"}, Text: "observed global a"},
		{ID: "0123456789ab", Text: "predicted b"},
	}
	var b strings.Builder
	if err := baseline.WriteRaces(&b, []baseline.Race{{ID: "0123456789ab", Packages: []string{"not a path"}, Text: "predicted\nb"}, want[0]}); err != nil {
		t.Fatal(err)
	}
	got, err := baseline.ReadRaces(strings.NewReader(b.String() + "\n # a comment\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if _, err := baseline.Read(strings.NewReader(b.String())); err == nil || !strings.Contains(err.Error(), "baseline of races") {
		t.Errorf("vet reads it: %v", err)
	}
}

func TestRacesErrors(t *testing.T) {
	const head = "# presage baseline of races, version 1: x\n"
	for text, want := range map[string]string{
		"": "it is empty",
		"# What presage vet has found before: x\n0123456789ab likely x\n": "baseline of presage vet",
		"package main\n": "no baseline of races",
		"# presage baseline of races, version 2: x\n":                "it has version 2",
		"# presage baseline of races, version 1x\n":                  "no baseline of races",
		head + "0123456789ab\n":                                      "line 2",
		head + "hello - x\n":                                         "line 2",
		head + strings.Repeat("x", 2<<20):                            "too long",
		head + strings.Repeat(strings.Repeat("# ", 500)+"\n", 17000): "larger than",
	} {
		if races, err := baseline.ReadRaces(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v; want %q", text, races, err, want)
		}
	}
}

// FuzzRaces: any bytes are entries, which can be written again, or an error.
func FuzzRaces(f *testing.F) {
	f.Add("# presage baseline of races, version 1\n0123456789ab a,b x\nffffffffffff-2 -\n")
	f.Fuzz(func(t *testing.T, text string) {
		races, err := baseline.ReadRaces(strings.NewReader(text))
		if err != nil {
			return
		}
		var b strings.Builder
		if err := baseline.WriteRaces(&b, races); err != nil {
			t.Fatal(err)
		}
		again, err := baseline.ReadRaces(strings.NewReader(b.String()))
		if err != nil || len(again) != len(races) {
			t.Errorf("%v: %d entries of %d", err, len(again), len(races))
		}
	})
}
