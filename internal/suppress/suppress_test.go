package suppress_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/suppress"
)

// files writes the files of a module. A name that ends with -> is a link.
func files(t *testing.T, texts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range texts {
		file := filepath.Join(dir, strings.TrimSuffix(name, " ->"))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(file, []byte(text), 0o666)
		if strings.HasSuffix(name, " ->") {
			os.Remove(file)
			err = os.Symlink(text, file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// race is a race of two lines of a file, with the text of both as recorded.
func race(id, file string, a, b int, source string) *report.Race {
	at := func(line int) report.Access {
		return report.Access{Position: report.Position{File: file, Line: line}, Kind: "write", Expr: "x", Func: "m.f", Source: source}
	}
	return &report.Race{ID: id, Tier: report.Observed, A: at(a), B: at(b), Object: "global x", Count: 1}
}

func sieve(t *testing.T, o suppress.Options) *suppress.Sieve {
	t.Helper()
	s, err := suppress.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// why lists what suppresses each of the races.
func why(res suppress.Result) (out []string) {
	for _, m := range res.Suppressed {
		text := fmt.Sprintf("%s %s", m.Race.ID, m.By)
		if m.Comment != nil {
			text += fmt.Sprintf(" %d %s", m.Comment.Line, m.Reason)
		}
		out = append(out, text)
	}
	return out
}

// TestComments: a comment counts at the line that was recorded, in a regular file of the module.
func TestComments(t *testing.T) {
	out := t.TempDir()
	text := "package m\n\n//presage:ignore above\nx = 1\nx = 2\nx = 1 //presage:ignore behind\nx = 1 //presage:ignore\n"
	if err := os.WriteFile(filepath.Join(out, "out.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := files(t, map[string]string{
		"go.mod": "module m\n", "a.go": text, "vendor/d/d.go": text, "a.txt": text, "link.go ->": filepath.Join(out, "out.go"), "zero.go ->": "/dev/zero",
		"large.go": text + strings.Repeat("//\n", 6<<20),
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	res, err := sieve(t, suppress.Options{Dir: filepath.Join(dir, "vendor")}).Sift([]*report.Race{
		race("above", at("a.go"), 4, 5, "x = 1"),
		race("both", at("a.go"), 5, 6, "x = 1"),
		race("was-there", at("a.go"), 6, 6, "x = 1 //presage:ignore behind"),
		race("no-reason", at("a.go"), 7, 7, "x = 1"),
		race("none", at("a.go"), 5, 5, "x = 2"),
		race("edited", at("a.go"), 4, 4, "x = 3"),
		race("unknown", at("a.go"), 4, 4, ""),
		race("past-the-end", at("a.go"), 400, -4, "x = 1"),
		race("vendor", at("vendor/d/d.go"), 4, 4, "x = 1"),
		race("no-go", at("a.txt"), 4, 4, "x = 1"),
		race("link", at("link.go"), 4, 4, "x = 1"),
		race("device", at("zero.go"), 4, 4, "x = 1"),
		race("large", at("large.go"), 4, 4, "x = 1"),
		race("outside", filepath.Join(out, "out.go"), 4, 4, "x = 1"),
		race("up", dir+"/b/../../"+filepath.Base(out)+"/out.go", 4, 4, "x = 1"),
		race("relative", "a.go", 4, 4, "x = 1"),
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"above ignore 3 above", "both ignore 6 behind", "was-there ignore 6 behind"}, why(res)); diff != "" {
		t.Errorf("suppressed (-want +got):\n%s", diff)
	}
}

// TestBaseline: races with one fingerprint are known only if the baseline has as many; an entry is
// gone only if its packages were run whole.
func TestBaseline(t *testing.T) {
	const head = "# presage baseline of races, version 1: x\n"
	for name, test := range map[string]struct {
		known string
		found string
		whole []string
		want  []string
		gone  []string
	}{
		"known":         {"aaaaaaaaaaaa m x", "aaaaaaaaaaaa bbbbbbbbbbbb", nil, []string{"aaaaaaaaaaaa baseline"}, nil},
		"one more":      {"aaaaaaaaaaaa m x", "aaaaaaaaaaaa aaaaaaaaaaaa-2", nil, nil, nil},
		"both":          {"aaaaaaaaaaaa m x\naaaaaaaaaaaa-2 m x", "aaaaaaaaaaaa aaaaaaaaaaaa-2", nil, []string{"aaaaaaaaaaaa baseline", "aaaaaaaaaaaa-2 baseline"}, nil},
		"one of two":    {"aaaaaaaaaaaa m x\naaaaaaaaaaaa-2 m x", "aaaaaaaaaaaa", []string{"m"}, []string{"aaaaaaaaaaaa baseline"}, []string{"aaaaaaaaaaaa-2"}},
		"not whole":     {"aaaaaaaaaaaa m,n x", "", []string{"m"}, nil, nil},
		"whole":         {"aaaaaaaaaaaa m,n x", "", []string{"m", "n"}, nil, []string{"aaaaaaaaaaaa"}},
		"no packages":   {"aaaaaaaaaaaa - x", "", []string{"m"}, nil, nil},
		"empty of both": {"", "", []string{"m"}, nil, nil},
	} {
		dir := files(t, map[string]string{"go.mod": "module m\n", "known.txt": head + test.known + "\n"})
		var races []*report.Race
		for _, id := range strings.Fields(test.found) {
			races = append(races, race(id, "x.go", 1, 2, ""))
		}
		res, err := sieve(t, suppress.Options{Dir: dir, Baseline: filepath.Join(dir, "known.txt")}).Sift(races, nil, test.whole)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, why(res)); diff != "" {
			t.Errorf("%s: suppressed (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.gone, res.Counts.Gone); diff != "" {
			t.Errorf("%s: gone (-want +got):\n%s", name, diff)
		}
	}
}

// TestWrite: what is written is what is read, entries of packages that were not run whole stay, and
// a file that is no baseline is not overwritten.
func TestWrite(t *testing.T) {
	dir := files(t, map[string]string{"go.mod": "module m\n", "a.go": "package m\n", "known.txt": "# presage baseline of races, version 1: x\nbbbbbbbbbbbb n x\ncccccccccccc m x\n"})
	known := filepath.Join(dir, "known.txt")
	r := race("aaaaaaaaaaaa", "x.go", 1, 2, "")
	r.A.Stack = []report.Frame{{Func: "m.f"}, {Func: "m/sub_test.TestX.func1"}, {Func: "testing.tRunner"}}
	before := []*report.Suppressed{{Race: race("dddddddddddd", "x.go", 1, 2, ""), By: report.ByBaseline}, {Race: race("eeeeeeeeeeee", "x.go", 1, 2, ""), By: report.ByComment}}
	res, err := sieve(t, suppress.Options{Dir: dir, Baseline: known, Write: true}).Sift([]*report.Race{r}, before, []string{"m"})
	if err != nil || res.Written != 3 || res.Retained != 1 || len(res.Suppressed) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	text, _ := os.ReadFile(known)
	_, lines, _ := strings.Cut(string(text), "\n")
	if diff := cmp.Diff("aaaaaaaaaaaa m,m/sub global x: write in m.f, write in m.f\ndddddddddddd m global x: write in m.f, write in m.f\nbbbbbbbbbbbb n x\n", lines); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	for _, name := range []string{"a.go", ".", "go.mod", "none/known.txt"} {
		if _, err := suppress.New(t.Context(), suppress.Options{Dir: dir, Baseline: filepath.Join(dir, name), Write: true}); err == nil {
			t.Errorf("%s would be written", name)
		}
	}
}

// TestHandler passes a report on: what it has as suppressed stays so, and the summary counts what
// is left.
func TestHandler(t *testing.T) {
	dir := files(t, map[string]string{"go.mod": "module m\n", "known.txt": "# presage baseline of races, version 1: x\naaaaaaaaaaaa m x\ndddddddddddd m x\nbbbbbbbbbbbb m x\n"})
	line := func(id, tier string) string {
		return `{"id":"` + id + `","tier":"` + tier + `","object":"global x","count":1}`
	}
	text := `{"config":{"protocol_version":"v1.1.0","tool":"presage","version":"x","level":"path","window":0}}
{"race":` + line("aaaaaaaaaaaa", "observed") + `}
{"race":` + line("dddddddddddd", "candidate") + `}
{"race":` + line("eeeeeeeeeeee", "warning") + `}
{"suppressed":{"race":` + line("bbbbbbbbbbbb", "confirmed") + `,"by":"ignore","reason":"as before"}}
{"suppressed":{}}
{"summary":{"races":1,"observed":1,"exit_code":3,"whole_packages":["m"],"on_the_fly":{"candidates":1},"coverage":{"searched":"whole"},"suppressed":{"ignored":1}}}
`
	var out bytes.Buffer
	h := &suppress.Handler{Handler: report.NewJSON(&out), Sieve: sieve(t, suppress.Options{Dir: dir, Baseline: filepath.Join(dir, "known.txt")})}
	if err := report.HandleJSON(strings.NewReader(text), h); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{
		`"races":0,"observed":0`, `"exit_code":0`, `"suppressed":{"ignored":1,"baseline":2,`, `"id":"bbbbbbbbbbbb"`, `"reason":"as before"`,
		`{"race":{"id":"eeeeeeeeeeee","tier":"warning"`, `{"suppressed":{"race":{"id":"dddddddddddd","tier":"candidate"`, `"on_the_fly":{"engine":"","filter":"","candidates":0`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\n{\"race\":{\"id\":\"aaaa") || strings.Count(got, `{"suppressed":{"race"`) != 3 || strings.Contains(got, `"gone"`) {
		t.Errorf("passed on:\n%s", got)
	}
}
