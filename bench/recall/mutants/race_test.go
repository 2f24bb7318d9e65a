package mutants

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/presage-race/presage/internal/report"
	"golang.org/x/tools/txtar"
)

var testPlaces = places{dir: "/src/m", goroot: "/go", cache: "/mod"}

// Each archive of testdata/race has what a detector printed, in race.txt or presage.json, and in
// races.txt what is read from it.
func TestReadRaces(t *testing.T) {
	names, err := filepath.Glob("testdata/race/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			want := ""
			b := &txtar.Archive{Comment: a.Comment}
			for _, f := range a.Files {
				var races []race
				switch f.Name {
				case "races.txt":
					want = string(f.Data)
					continue
				case "race.txt":
					races = readRaces(string(f.Data), testPlaces)
				case "presage.json":
					var r report.Race
					if err := json.Unmarshal(f.Data, &r); err != nil {
						t.Fatal(err)
					}
					races = predicted([]*report.Race{&r}, testPlaces)
				}
				b.Files = append(b.Files, f)
				for _, r := range races {
					text, err := json.MarshalIndent(r, "", "\t")
					if err != nil {
						t.Fatal(err)
					}
					got.Write(append(text, '\n'))
				}
			}
			if *update {
				b.Files = append(b.Files, txtar.File{Name: "races.txt", Data: []byte(got.String())})
				if err := os.WriteFile(name, txtar.Format(b), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// -race and presage write names of functions differently.
func TestDeclared(t *testing.T) {
	for fn, want := range map[string]string{
		"main.main":                           "main",
		"main.main.func1":                     "main",
		"main.main.func1.2":                   "main",
		"main.main.gowrap1":                   "main",
		"example.com/a/b.(*T).Set":            "T.Set",
		"(*example.com/a/b.T).Set":            "T.Set",
		"(*m.T).Set$1":                        "T.Set",
		"example.com/b.T.Set.func2.1":         "T.Set",
		"example.com/b.(*T[...]).Set":         "T.Set",
		"(*b.T[map[int]string]).Set":          "T.Set",
		"gopkg.in/log%2ev2.(*L).Write.func1":  "v2.L.Write",
		"example.com/b.F[go.shape.int].func1": "F",
		"example.com/b.init.func1":            "init",
	} {
		if got := declared(fn); got != want {
			t.Errorf("%s: %s, want %s", fn, got, want)
		}
	}
}
