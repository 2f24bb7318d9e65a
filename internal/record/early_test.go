package record

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A testProcess is what a process has left: a goroutine with some events, and what it says of
// itself.
type testProcess struct {
	pid, parent, args uint64
	began             uint64 // nanoseconds
	events            int
	ended             bool
	stopped           format.StopReason
}

// leave writes the records of a process into a directory, as the recorder would.
func leave(t *testing.T, raw string, p testProcess) {
	t.Helper()
	w := make([]uint64, format.RawBlockWords)
	copy(w, []uint64{format.SegMagic, format.RawVersion, p.pid, 0, 0, uint64(p.stopped), p.began, 1, 0, 7, p.args, p.parent})
	if p.ended {
		w[14] = 1
	}
	var records []uint64
	for i := range uint64(p.events) {
		records = append(records, format.RawHeader(format.Write, 0, 8, 0), 0x1000+8*i, p.pid, format.RawHeader(format.Lock, 0, 0, 0), 0x200, 10+i)
	}
	chunk := make([]uint64, (format.ChunkHeaderWords+len(records)+format.RawBlockWords)/format.RawBlockWords*format.RawBlockWords)
	copy(chunk, []uint64{uint64(format.RawChunk)<<56 | format.RawVersion<<48 | uint64(len(chunk)), 1, 1 << 32})
	copy(chunk[format.ChunkHeaderWords:], records)
	w = append(w, chunk...)
	w[4] = uint64(len(w))
	var b []byte
	for _, x := range w {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	dir := filepath.Join(raw, strconv.FormatUint(p.pid, 10))
	err := os.MkdirAll(dir, 0o700)
	if err == nil { // whole, or not there
		err = os.WriteFile(filepath.Join(dir, "new"), b, 0o600)
	}
	if err := errors.Join(err, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "000000.seg"))); err != nil {
		t.Fatal(err)
	}
}

// earlyRun is a run whose processes come to raw one after the other.
type earlyRun struct {
	c     *Config
	b     *build
	raw   string
	r     *Result
	e     *early
	given chan string // names of the traces that were handed on
}

func newEarlyRun(t *testing.T) *earlyRun {
	x := &earlyRun{b: &build{Meta: &trace.Meta{Source: "presage"}}, raw: t.TempDir(), r: &Result{Dir: t.TempDir()}, given: make(chan string, 10)}
	x.c = &Config{Test: true, earlyAfter: 1, Progress: func(string) {}, Early: func(e EarlyTrace) { x.given <- filepath.Base(e.Name) }}
	if err := recorder.SetLimit(x.raw, 1<<40); err != nil {
		t.Fatal(err)
	}
	x.e = x.c.watch(x.b, x.raw, x.r)
	return x
}

// wait is for the next trace to be handed on.
func (x *earlyRun) wait(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-x.given:
		if got != want {
			t.Fatalf("%s was handed on, not %s", got, want)
		}
	case <-time.After(time.Minute):
		t.Fatalf("%s was not handed on", want)
	}
}

// finish merges what is left, and returns the traces by name.
func (x *earlyRun) finish(t *testing.T) map[string]string {
	t.Helper()
	x.e.end()
	if err := x.c.merge(x.b, x.raw, x.r, x.e, x.c.ordering(0)); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range x.r.Traces {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(data)
	}
	return files
}

// bases are the traces of a list, in its order.
func bases(list []string) string {
	var all []string
	for _, name := range list {
		all = append(all, strings.TrimSuffix(filepath.Base(name), ".trace"))
	}
	return strings.Join(all, " ")
}

// TestEarly: what has said that it ends is merged while others run (RE4), in whatever order; the
// traces are the same, byte for byte and in their order, as if all were merged at the end.
func TestEarly(t *testing.T) {
	processes := []testProcess{
		{pid: 30, began: 3, events: 50, ended: true},
		{pid: 4, began: 1, events: 20, ended: true},
		{pid: 31, parent: 30, began: 4, events: 5, ended: true}, // a child
		{pid: 50, began: 5, ended: true},                        // without an event
		{pid: 60, began: 6, events: 9},                          // killed, or running
		{pid: 70, began: 7, events: 9, ended: true, stopped: format.StopLimit},
		{pid: 200, began: 9, events: 70, ended: true},
	}
	x := newEarlyRun(t)
	for _, p := range processes {
		leave(t, x.raw, p)
		if p.ended && p.events > 0 && p.stopped == format.NotStopped {
			x.wait(t, strconv.FormatUint(p.pid, 10)+".trace")
		}
	}
	got := x.finish(t)
	if order, early := bases(x.r.Traces), bases(x.r.Early); order != "4 30 31 60 70 200" || early != "4 30 31 200" {
		t.Errorf("traces %s, of them early %s", order, early)
	}
	t.Setenv(EnvEarly, "off")
	y := newEarlyRun(t)
	if y.e != nil {
		t.Fatal("it cannot be turned off")
	}
	for _, p := range processes {
		leave(t, y.raw, p)
	}
	want := y.finish(t)
	if !slices.Equal(y.r.Early, nil) || bases(y.r.Traces) != bases(x.r.Traces) {
		t.Errorf("without it: %s, early %s", bases(y.r.Traces), bases(y.r.Early))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is another trace", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(x.r.Dir, "*")); len(left) != len(want) {
		t.Errorf("left behind: %s", left)
	}
}

// TestEarlyStands: what a trace rests on may turn out otherwise when all are over; then it is made
// again (RE4).
func TestEarlyStands(t *testing.T) {
	parent := testProcess{pid: 10, began: 1, events: 3}
	child := testProcess{pid: 20, parent: 10, args: 5, began: 9, events: 30, ended: true}
	for _, step := range []struct {
		name string
		then testProcess
	}{
		{"an older sibling like it", testProcess{pid: 15, parent: 10, args: 5, began: 8, events: 1}},
		{"more of its records", testProcess{pid: 20, parent: 10, args: 5, began: 9, events: 300, ended: true}},
	} {
		t.Run(step.name, func(t *testing.T) {
			x := newEarlyRun(t)
			leave(t, x.raw, parent)
			leave(t, x.raw, child)
			x.wait(t, "20.trace")
			old, err := os.Open(filepath.Join(x.r.Dir, "20.trace")) // as a search has
			if err != nil {
				t.Fatal(err)
			}
			defer old.Close()
			x.e.end()
			leave(t, x.raw, step.then)
			got := x.finish(t)
			if x.r.Early != nil {
				t.Errorf("it stands: %s", x.r.Early)
			}
			before, _ := old.Stat()
			if now, err := os.Stat(filepath.Join(x.r.Dir, "20.trace")); err != nil || os.SameFile(before, now) {
				t.Errorf("the file that is read was written anew, or is gone: %v", err)
			}
			y := &earlyRun{c: x.c, b: x.b, raw: x.raw, r: &Result{Dir: t.TempDir()}}
			if want := y.finish(t); got["20.trace"] != want["20.trace"] {
				t.Error("another trace than at the end")
			}
		})
	}
}

// TestEarlyLate: a merge under way has the time that is left once the tests are over, and what
// is not taken is removed.
func TestEarlyLate(t *testing.T) {
	x := newEarlyRun(t)
	leave(t, x.raw, testProcess{pid: 9, events: 100, ended: true})
	x.wait(t, "9.trace")
	x.e.drop()
	if left, _ := filepath.Glob(filepath.Join(x.r.Dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
	a := &ahead{merged: make(chan struct{})}
	asked := make(chan bool)
	go func() {
		for a.late.Load() == nil {
			time.Sleep(time.Millisecond)
		}
		asked <- (*a.late.Load())()
		a.failed = true
		close(a.merged)
	}()
	if a.done() {
		t.Error("it is done")
	}
	stands := make(chan bool)
	go func() { stands <- a.take(func() bool { return true }, t.TempDir(), nil) }()
	if !<-asked || <-stands || !a.done() {
		t.Error("the running merge did not learn that its time is over, or its result is kept though it failed")
	}
}
