package predict

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/raw"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestText analyses the hand-written traces of testdata. A line of want is a race (tier,
// sites) or a warning (code, count). With -update, want is what the analysis says.
func TestText(t *testing.T) {
	golden(t, "testdata/*.txtar", analyseText)
}

// golden holds what is said of the traces of testdata against what is wanted: a file has pairs of a
// trace and that.
func golden(t *testing.T, pattern string, say func(t *testing.T, name, text string) string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files)%2 != 0 {
				t.Fatal("not pairs of trace and want")
			}
			for k := 0; k < len(a.Files); k += 2 {
				got := say(t, a.Files[k].Name, string(a.Files[k].Data))
				if *update {
					a.Files[k+1].Data = []byte(got)
					continue
				}
				if d := cmp.Diff(string(a.Files[k+1].Data), got); d != "" {
					t.Errorf("%s, %s: %s\n%s", name, a.Files[k].Name, d, a.Files[k].Data)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func analyseText(t *testing.T, name, text string) string {
	t.Helper()
	events, meta, err := raw.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r := newRun(Options{}, meta)
	r.ctx = context.Background()
	r.built = func(b *built.Window) {
		if err := tracetest.Validate(b.Window); err != nil {
			t.Errorf("invalid window: %v\n%s", err, tracetest.Format(b.Window))
		}
	}
	res := stepAll(t, r, events)
	var out strings.Builder
	for _, x := range slices.Concat(res.Races, res.ToRun) {
		fmt.Fprintf(&out, "%v %s %s\n", x.Tier, siteName(meta, x.A.Site), siteName(meta, x.B.Site))
	}
	for _, w := range res.Warnings {
		fmt.Fprintf(&out, "%s %d\n", w.Code, w.Count)
	}
	return out.String()
}

// stepAll gives r the events, and returns what it has found.
func stepAll(t *testing.T, r *run, events []trace.Event) *Result {
	t.Helper()
	for i := range events {
		if err := r.step(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	return r.result()
}

func siteName(m *trace.Meta, s trace.Site) string {
	if int(s) < len(m.Sites) {
		return m.Sites[s].Name
	}
	return fmt.Sprint(s)
}
