package walk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record/merge"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A built is a program built with hooks.
type built struct {
	dir, bin string
	plan     *plan.Plan
	runs     int
	opaque   []instrument.OpaqueFunc
	output   string // of the last run
}

// build instruments and builds the program of the given source, all of it.
func build(t testing.TB, src string) *built {
	t.Helper()
	b := buildSome(t, src)
	for _, o := range b.opaque {
		t.Errorf("%s is opaque: %s", o.Func, o.Reason)
	}
	return b
}

// buildSome leaves functions as written that cannot be instrumented.
func buildSome(t testing.TB, src string) *built {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library: not with -short")
	}
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "out"), 0o777))
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module ops\n\ngo 1.26\n"), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o666))
	overlay, err := recorder.New(context.Background(), recorder.Config{Dir: dir, OutDir: filepath.Join(dir, "rt")})
	must(t, err)
	res, err := instrument.Instrument(context.Background(), instrument.Config{Config: plan.Config{Dir: dir}, OutDir: filepath.Join(dir, "out")})
	must(t, err)
	js, err := overlay.JSON(res.Overlay)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), js, 0o666))
	b := &built{dir: dir, bin: filepath.Join(dir, "prog"), plan: res.Plan, opaque: res.Opaque}
	cmd := exec.Command(overlay.Go, "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", b.bin)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), overlay.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return b
}

// record runs the program and returns its trace.
func (b *built) record(t testing.TB, args ...string) []trace.Event {
	t.Helper()
	b.runs++
	raw := filepath.Join(b.dir, fmt.Sprintf("raw%d", b.runs))
	must(t, os.MkdirAll(raw, 0o777))
	cmd := exec.Command(b.bin, args...)
	cmd.Env = append(os.Environ(), recorder.EnvDir+"="+raw)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("running the program: %v\n%s", err, out)
	}
	b.output = string(out)
	procs, err := filepath.Glob(raw + "/*")
	if err != nil || len(procs) != 1 {
		t.Fatalf("%d recorded processes, %v", len(procs), err)
	}
	name := raw + ".trace"
	stats, err := merge.File(procs[0], name, &trace.Meta{Source: "presage", Funcs: b.plan.Funcs, Sites: b.plan.Sites}, merge.Options{})
	must(t, err)
	if stats.Dropped > 0 || len(stats.Damage) > 0 {
		t.Errorf("merge: %d records dropped, damage %v", stats.Dropped, stats.Damage)
	}
	tr, err := trace.Open(name)
	must(t, err)
	defer tr.Close()
	var events []trace.Event
	for {
		var e trace.Event
		if err := tr.Next(&e); errors.Is(err, io.EOF) {
			return events
		} else if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

// TestRecorded walks the recording of a program that uses every construct: nothing may differ.
func TestRecorded(t *testing.T) {
	src, err := os.ReadFile("testdata/ops/main.go")
	must(t, err)
	b := build(t, string(src))
	events := b.record(t)
	for name, w := range map[string]*walk.Walker{"plain": walk.New(b.plan), "branching": walk.NewBranching(b.plan)} {
		t.Run(name, func(t *testing.T) { recorded(t, w, events) })
	}
	t.Run("sleep", func(t *testing.T) { sleeping(t, b, events) })
}

// sleeping compares walks in which frames sleep soon, and late: what is dropped of a sleeping frame
// is never missed.
func sleeping(t *testing.T, b *built, events []trace.Event) {
	late, soon := walk.NewBranching(b.plan), walk.Drowsy(walk.NewBranching(b.plan))
	deep := uint64(0)
	for i, e := range events {
		x, y := said(late.Step(int64(i), &e)), said(soon.Step(int64(i), &e))
		if x != y {
			t.Fatalf("event %d, %v: the walk says %s, and where frames sleep %s", i, e, x, y)
		}
		if e.Kind == format.Enter {
			deep = max(deep, e.Aux)
		}
	}
	if deep < 8 {
		t.Errorf("no stack has more than %d frames: nothing sleeps", deep)
	}
}

// said is a flow as text.
func said(f flow.Flow) string {
	s := fmt.Sprint(f.Walked, f.Needs, f.From, f.Value)
	for _, g := range f.Guards {
		s += fmt.Sprint(" ", g.Term, "=", g.Want)
	}
	for _, x := range f.Forks {
		n := x.Snapshot()
		s += fmt.Sprint(" ", x.Site(), x.Base(), x.Reads(), n.Needs, len(n.Frames))
	}
	return s
}

func recorded(t *testing.T, w *walk.Walker, events []trace.Event) {
	for i, e := range events {
		w.Step(int64(i), &e)
	}
	s := w.Stats()
	for _, m := range w.Mismatches() {
		t.Errorf("event %d: %v", m.Index, m)
	}
	if s.Mismatches > 0 || len(s.Unwalked) > 0 {
		t.Errorf("%d mismatches, unwalked %v", s.Mismatches, s.Unwalked)
	}
	if s.Invocations < 150 || s.Checked < 1500 {
		t.Errorf("only %d invocations walked, %d values checked", s.Invocations, s.Checked)
	}
	t.Logf("%+v", s)
}
