package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/record"
)

// earlyReport is the report on traces, in the order in which they are given, where those of before
// are searched while the tests run, in that order. The last of them is still being searched when
// the tests are over, if under is set; move puts the traces elsewhere then.
func earlyReport(t *testing.T, ctx context.Context, e *early, files, before []string, under bool, move func() ([]string, error)) string {
	t.Helper()
	rec := &record.Result{Traces: files, Early: before}
	for i, name := range before {
		if under && i == len(before)-1 {
			go e.search(record.EarlyTrace{Name: name})
			for e.of(name, nil, nil) == nil {
				time.Sleep(time.Millisecond)
			}
			break
		}
		e.search(record.EarlyTrace{Name: name})
	}
	e.testsOver()
	if move == nil {
		move = func() ([]string, error) { return files, nil }
	}
	a := testAnalysis(nil)
	a.early, a.traces.from = e, "DIR"
	var err error
	if a.traces.files, err = e.settle(rec, move); err != nil {
		t.Fatal(err)
	}
	a.searches().run(ctx)
	e.end()
	return sent(t, a) + fmt.Sprint(a.found.unread)
}

// TestEarly: the report is the same, byte for byte, whichever traces were searched while the tests
// ran, and in whatever order; also if one was still being searched, was made anew or was moved
// since, or if there was no memory for it.
func TestEarly(t *testing.T) {
	dir := t.TempDir()
	files := writeTraces(t, dir)
	var lines []string
	begin := func() *early {
		lines = nil
		return newEarly(t.Context(), &Env{Stderr: io.Discard}, options{level: levelPath}, func(s string) { lines = append(lines, s) })
	}
	want := earlyReport(t, t.Context(), nil, files, nil, false, nil)
	if n := strings.Count(want, `{"race":`); n < 12 {
		t.Fatalf("%d races", n)
	}
	backwards := slices.Clone(files)
	slices.Reverse(backwards)
	for name, before := range map[string][]string{
		"none": nil, "all": files, "backwards": backwards, "the last": files[11:], "the first": files[:1], "some": {files[7], files[2], files[5]},
	} {
		for _, under := range []bool{false, true} {
			if got := earlyReport(t, t.Context(), begin(), files, before, under, nil); got != want {
				t.Errorf("%s, %v: a report of %d bytes, not the one of %d:\n%s", name, under, len(got), len(want), got)
			}
		}
	}

	e := begin()
	for _, name := range files {
		e.search(record.EarlyTrace{Name: name})
	}
	if len(lines) != 1 || lines[0] != "found so far: code without a position and code without a position" {
		t.Errorf("lines %q", lines)
	}
	if got := earlyReport(t, t.Context(), e, files, nil, false, nil); got != want {
		t.Error("what was made anew since has another report")
	}

	e = begin()
	e.memory = &memory{limit: 4}
	e.memory.last = time.Now().Add(time.Hour) // it looks at the heap no more
	e.memory.live = 0
	s := &search{name: files[0], early: e, done: make(chan struct{})}
	e.list[s.name] = s
	given := false
	if why := e.why(s, func() { given = true }); why != "" || given {
		t.Errorf("given up with memory left: %q", why)
	}
	e.memory.live = 3
	if why := e.why(s, func() { given = true }); why != predict.Full || !given || e.of(s.name, nil, nil) != nil {
		t.Errorf("not given up without memory: %q", why)
	}
	close(s.done)
	if got := earlyReport(t, t.Context(), e, files, files, false, nil); got != want {
		t.Error("without memory, another report")
	}

	// Moved, the traces have other names in the report.
	to := t.TempDir()
	var moved []string
	for _, name := range files {
		moved = append(moved, filepath.Join(to, filepath.Base(name)))
	}
	got := earlyReport(t, t.Context(), begin(), files, files[3:9], true, func() ([]string, error) {
		for i, name := range files {
			if err := os.Rename(name, moved[i]); err != nil {
				return nil, err
			}
		}
		return moved, nil
	})
	if got := strings.ReplaceAll(got, to, dir); got != want {
		t.Errorf("moved: a report of %d bytes, not the one of %d", len(got), len(want))
	}
}

// TestEarlyInterrupted: what was searched before an interrupt is reported, what was not is counted.
func TestEarlyInterrupted(t *testing.T) {
	files := writeTraces(t, t.TempDir())
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for n, before := range map[int][]string{12: nil, 9: {files[8], files[0], files[11]}} {
		e := newEarly(t.Context(), &Env{}, options{level: levelPath}, func(string) {})
		got := earlyReport(t, ctx, e, files, before, false, nil)
		if text := fmt.Sprintf(`"code":"interrupted","count":%d,`, n); !strings.Contains(got, text) || !strings.Contains(got, `"traces":12,`) {
			t.Errorf("%d left out:\n%s", n, got)
		}
		if races := strings.Contains(got, `"exit_code":3`); races != (before != nil) {
			t.Errorf("%d left out: another exit code", n)
		}
	}
}

// TestNewEarly: where traces are not searched one by one, or not at all, nothing is searched early.
func TestNewEarly(t *testing.T) {
	for _, o := range []options{{level: levelNone}, {level: levelPath, static: "likely"}} {
		e := newEarly(t.Context(), &Env{}, o, nil)
		if e != nil {
			t.Errorf("%+v", o)
		}
		e.search(record.EarlyTrace{})
		e.testsOver()
		e.end()
	}
	e := newEarly(t.Context(), &Env{}, options{level: levelPath, confirm: confirmRest}, nil)
	if e.line != "found so far, not replayed yet" {
		t.Error(e.line)
	}
}
