package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/presage-race/presage/internal/report"
)

// countdown is a context that is interrupted when it was asked often enough.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// told is a report, taken apart.
type told struct {
	report.Ignore
	text     string
	races    map[string]bool
	warnings map[string]*report.Warning
	summary  report.Summary
}

func (o *told) Race(r *report.Race) error {
	// in several traces, it is of the first that has it
	o.races[r.ID+" "+r.A.Position.String()+" "+r.B.Position.String()] = true
	return nil
}
func (o *told) Candidate(c *report.Candidate) error {
	o.races[c.ID+" "+c.A.Position.String()+" "+c.B.Position.String()] = true
	return nil
}
func (o *told) StaticWarning(w *report.StaticWarning) error {
	return fmt.Errorf("a static warning: %s", w.ID)
}

func (o *told) Warning(w *report.Warning) error {
	o.warnings[w.Code] = w
	return nil
}
func (o *told) Summary(s *report.Summary) error {
	o.summary = *s
	return nil
}

// analysed is the report on traces. It is that of ctx where one is given.
func analysed(t *testing.T, ctx context.Context, change func(*analysis), files ...string) *told {
	t.Helper()
	a := testAnalysis(files)
	change(a)
	a.searches().run(ctx)
	for _, err := range a.found.unread {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString(sent(t, a))
	o := &told{text: b.String(), races: map[string]bool{}, warnings: map[string]*report.Warning{}}
	if err := report.HandleJSON(&b, o); err != nil {
		t.Fatal(err)
	}
	return o
}

// testAnalysis is an analysis of traces that prints no progress.
func testAnalysis(files []string) *analysis {
	a := newAnalysis(&Env{Stderr: io.Discard}, options{level: levelPath}, newProgress(io.Discard, true))
	a.traces.files = files
	return a
}

// sent is the report of an analysis in JSON form.
func sent(t *testing.T, a *analysis) string {
	t.Helper()
	a.found.finish(a.traces.from, nil)
	a.found.summary.Seconds = 0
	var b bytes.Buffer
	if err := a.output().send(report.NewJSON(&b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// long writes traces that are long enough to be interrupted in. Races are all over them.
func long(t *testing.T, n int) (files []string) {
	dir := t.TempDir()
	for i := range n {
		var s strings.Builder
		for k := range (9 - i) * 1000 {
			fmt.Fprintf(&s, "T1|w(V%d)|%d\nT1|acq(M)|2\nT1|rel(M)|3\nT2|acq(M)|4\nT2|rel(M)|5\nT2|r(V%d)|%d\n", k, 100+k/1000, k, 200+k/1000)
			fmt.Fprintf(&s, "T1|w(W%d)|%d\nT2|w(W%d)|%d\n", k, 300+k/1000, k, 400+k/1000)
		}
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.std", i)))
		if err := os.WriteFile(files[i], []byte(s.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestInterrupted holds (CM4), wherever an interrupt comes and however many searches run at once.
// The report has a part of all races, and a warning of the rest. An analysis after the interrupt
// has the report of one that was not interrupted.
func TestInterrupted(t *testing.T) {
	files := long(t, 3)
	for _, engine := range []string{"", "fasttrack"} {
		change := func(a *analysis) { a.fly.engine = engine }
		want := analysed(t, t.Context(), change, files...)
		if want.warnings["interrupted"] != nil || len(want.races) < 4 {
			t.Fatalf("%d races: %s", len(want.races), want.text)
		}
		for _, workers := range []int{1, 2, 8} {
			if engine != "" && workers > 1 {
				continue // one trace after the other in any case
			}
			t.Run(fmt.Sprint(engine, workers), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
				seen := map[string]bool{}
				for n := int64(0); ; n = n*2 + 1 {
					ctx := &countdown{Context: t.Context()}
					ctx.left.Store(n)
					got := analysed(t, ctx, change, files...)
					if ctx.left.Load() >= 0 {
						if got.text != want.text {
							t.Error("not interrupted, and another report")
						}
						break
					}
					partial(t, got, want, len(files))
					for race := range got.races {
						seen[race] = true
					}
				}
				if len(seen) == 0 {
					t.Error("interrupted analyses have reported nothing")
				}
				if got := analysed(t, t.Context(), change, files...); got.text != want.text {
					t.Error("after the interrupts, another report")
				}
			})
		}
	}
}

// partial holds the report of an interrupted analysis against a whole one.
func partial(t *testing.T, got, want *told, traces int) {
	t.Helper()
	for race := range got.races {
		if !want.races[race] {
			t.Errorf("only when interrupted: %s", race)
		}
	}
	w, s := got.warnings["interrupted"], &got.summary
	if w == nil { // it came when all was done
		if got.text != want.text {
			t.Error("another report without a warning")
		}
		return
	}
	if w.Count > traces || !strings.Contains(w.Text, "presage analyze ") || got.warnings["not-walked"] != nil || got.warnings["trace-damaged"] != nil {
		t.Errorf("warnings: %s", got.text)
	}
	if s.Traces != traces || s.ExitCode != exitRaces && s.ExitCode != exitFailed || s.Coverage.Searched == report.Whole || s.Coverage.Why == "nothing was recorded" {
		t.Errorf("summary: %+v %+v", s, s.Coverage)
	}
}

// TestSideBySideInterrupted: of two searches side by side, the one that has come to its end is
// reported, though it is the second.
func TestSideBySideInterrupted(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	files := long(t, 1)
	short := filepath.Join(t.TempDir(), "short.std")
	if err := os.WriteFile(short, []byte("T1|w(V)|1\nT2|w(V)|2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	a := testAnalysis([]string{files[0], short})
	all := a.searches()
	all.sizes = sizesOf(a.traces.files)
	first := all.begin(ctx, 0, nil)
	second := all.begin(ctx, 1, []*search{first})
	<-second.done
	stop()
	for _, s := range []*search{first, second} {
		if err := all.end(ctx, s); err != nil {
			t.Error(err)
		}
	}
	a.found.finish("", nil)
	if a.found.cut != 1 || a.found.summary.Traces != 2 {
		t.Errorf("%d traces cut, %d in all", a.found.cut, a.found.summary.Traces)
	}
	if races := a.found.set.Races(); len(races) == 0 || races[len(races)-1].Trace != short {
		t.Errorf("%d races, and not that of the second trace", len(races))
	}
}

// TestResume: the command that goes on has the limits of the one that was interrupted.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"9.trace", "10.trace"} {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[len(files)-1], nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := &analysis{options: options{level: levelValue, window: 50}, traces: traces{files, dir}}
	if got, want := commandLine(a.resume()), "presage analyze -level=value -window=50 "+dir; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	a.traces.files = files[:1] // the other is of an earlier run
	if got, want := commandLine(a.resume()), "presage analyze -level=value -window=50 "+files[0]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	cmd := newAnalyze(&Env{})
	if err := cmd.ParseFlags([]string{"--level=value", "--memory", "2G", "--trust", "--json=false", "a b"}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(givenFlags(cmd.Flags()), " "), "-level=value -memory=2G -trust"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestInterruptedAtOnce: a run of which nothing was analysed yet is kept (CM4).
func TestInterruptedAtOnce(t *testing.T) {
	a := findings{level: levelPath, program: program{tests: true, tested: true}}
	a.left()
	a.interrupted(nil)
	if code := a.finish("", nil); code != exitFailed || a.noRun() {
		t.Errorf("code %d, dropped: %v", code, a.noRun())
	}
}
