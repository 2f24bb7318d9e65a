package merge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

func mergeDir(t testing.TB, dir string) ([]trace.Event, *trace.Meta, Stats) {
	t.Helper()
	return mergeBy(t, Options{}, dir)
}

func mergeBy(t testing.TB, opt Options, dir string) ([]trace.Event, *trace.Meta, Stats) {
	t.Helper()
	var b bytes.Buffer
	meta := &trace.Meta{}
	w, err := trace.NewWriter(&b, meta)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := Merge(dir, meta, w, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(meta); err != nil {
		t.Fatal(err)
	}
	r, err := trace.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	var events []trace.Event
	for {
		var e trace.Event
		if err := r.Next(&e); err == io.EOF {
			return events, meta, stats
		} else if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

// TestMerge merges the recordings in testdata/*.txtar and compares the traces and the warnings. The
// comment of each archive states its subject.
func TestMerge(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c := parseCase(t, file)
			whole := parseRecording(t, c.recording)
			got, meta, stats := mergeDir(t, save(t, whole, 0, 0))
			if d := cmp.Diff(c.trace, raw.Text(got, nil)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if got := warnings(meta); got != c.warnings {
				t.Errorf("warnings %q, want %q", got, c.warnings)
			}
			if stats.PID != 77 || stats.Unix != 12345 || stats.Streams != len(whole) || stats.Events != int64(len(got)) {
				t.Errorf("stats: %+v", stats)
			}
			// The result does not depend on the ends of the chunks.
			for _, s := range whole {
				for i := 0; i < len(s.words); {
					n, _ := format.RawLen(s.words[i])
					i += n
					s.cuts = append(s.cuts, i)
				}
			}
			if again, _, _ := mergeDir(t, save(t, whole, 0, 0)); !slices.Equal(again, got) {
				t.Error("in small chunks another trace")
			}
		})
	}
}

func warnings(m *trace.Meta) string {
	var s []string
	for _, w := range m.Warnings {
		s = append(s, fmt.Sprintf("%s=%d", w.Code, w.Count))
	}
	return strings.Join(s, " ")
}

func TestGoroutines(t *testing.T) {
	name := "main.worker.func1"
	words := []uint64{format.RawHeader(format.Start, 0, uint16(len(name)), 0), 1, 30}
	b := append([]byte(name), make([]byte, 8)...)
	for i := 0; i < len(name); i += 8 {
		words = append(words, binary.LittleEndian.Uint64(b[i:]))
	}
	streams := parseRecording(t, "go 4\nstart 0 5\ngo 1\nstart 0 10\ngo 12 20\ngo 13 22")
	streams[1].words[len(streams[1].words)-6] |= 99 // site of the first go statement
	// "TestA" and "a/b"
	words = append(words, format.RawHeader(format.RawTest, 0, 5, 0), 0x4174736554)
	streams = append(streams, &testStream{goid: 12, words: words})
	streams[1].words = append(streams[1].words, format.RawHeader(format.RawTest, format.FlagFirst, 3, 0), 0x622f61)
	_, meta, stats := mergeDir(t, save(t, streams, 0, 0))
	want := []trace.Goroutine{{}, {RunID: 1}, {RunID: 4}, {RunID: 12, Parent: 1, Site: 99, Func: name, Test: "TestA"}, {RunID: 13, Parent: 1}}
	if d := cmp.Diff(want, meta.Goroutines); d != "" || stats.Goroutines != 4 {
		t.Errorf("%d goroutines (-want +got):\n%s", stats.Goroutines, d)
	}
	if meta.TestPackage != "a/b" {
		t.Errorf("tests of package %q", meta.TestPackage)
	}
}

// (ME7) After a stop, no record after the last synchronisation counts, and none after the stamp of
// the stop, if it is known.
func TestStopped(t *testing.T) {
	recording := `
		go 1
		start 0 10
		write 0x100 1
		lock 0x200 20
		write 0x100 2
		stamp 30
		write 0x100 3
		alloc 0x300 8 40
		write 0x100 4
		go 2
		start 1 15
		write 0x108 1
		unlock 0x200 50`
	for _, c := range []struct {
		stopAt uint64
		want   string
		warn   string
	}{
		{0, "g1 start g0\ng2 start g1\ng1 write 0x100 val=1\ng1 lock 0x200\ng2 write 0x108 val=1\ng2 unlock 0x200\n", "recording-stopped=1 records-dropped=5"},
		{45, "g1 start g0\ng2 start g1\ng1 write 0x100 val=1\ng1 lock 0x200\n", "recording-stopped=1 records-dropped=7"},
	} {
		got, meta, _ := mergeDir(t, save(t, parseRecording(t, recording), format.StopNoDisk, c.stopAt))
		if d := cmp.Diff(c.want, raw.Text(got, nil)); d != "" || warnings(meta) != c.warn {
			t.Errorf("stop at %d: %s (-want +got):\n%s", c.stopAt, warnings(meta), d)
		}
	}
}

// A stopped merge yields the beginning of the trace, and a warning.
func TestStoppedMerge(t *testing.T) {
	var b strings.Builder
	b.WriteString("go 1\nstart 0 1\n")
	for i := range 500 {
		fmt.Fprintf(&b, "write 0x100 %d\nlock 0x200 %d\nunlock 0x200 %d\n", i, 10*i+10, 10*i+15)
	}
	b.WriteString("go 2\nstart 1 2\n")
	for i := range 500 {
		fmt.Fprintf(&b, "write 0x300 %d\nlock 0x400 %d\nunlock 0x400 %d\n", i, 10*i+11, 10*i+16)
	}
	dir := save(t, parseRecording(t, b.String()), format.NotStopped, 0)
	whole, _, _ := mergeDir(t, dir)
	asked := 0
	for _, at := range []int{1, 5, 1000} {
		asked = 0
		events, meta, stats := mergeBy(t, Options{Over: func() bool { asked++; return asked == at }}, dir)
		if n := len(events); n > len(whole) || !slices.Equal(events, whole[:n]) || stats.Events != int64(n) {
			t.Errorf("stopped at question %d: %d events, not the first of %d", at, n, len(whole))
		}
		early := at < 1000
		if early != (len(events) < len(whole)) || early != (warnings(meta) == "merge-stopped=1") {
			t.Errorf("stopped at question %d of %d: %d of %d events, %s", at, asked, len(events), len(whole), warnings(meta))
		}
	}
	if asked < 10 {
		t.Errorf("asked %d times", asked)
	}
}

// (ME7) An unreadable record, or a missing chunk, ends the trace of all streams at the last stamp
// of its stream.
func TestDamaged(t *testing.T) {
	recording := `
		go 1
		start 0 10
		write 0x100 1
		lock 0x200 20
		chunk
		write 0x100 2
		unlock 0x200 30
		chunk
		lock 0x200 40
		go 2
		start 1 15
		write 0x108 1
		lock 0x300 25
		lock 0x400 35`
	want := "g1 start g0\ng2 start g1\ng1 write 0x100 val=1\ng1 lock 0x200\n"
	whole := parseRecording(t, recording)

	bad := parseRecording(t, recording)
	bad[0].words[bad[0].cuts[0]] = 0x7700000000000000
	dir := save(t, bad, 0, 0)
	got, meta, stats := mergeDir(t, dir)
	if d := cmp.Diff(want, raw.Text(got, nil)); d != "" || !strings.HasPrefix(warnings(meta), "raw-damaged=1 records-dropped=") || len(stats.Damage) != 1 {
		t.Errorf("bad record: %s (-want +got):\n%s", warnings(meta), d)
	}

	dir = save(t, whole, 0, 0)
	name := filepath.Join(dir, "000000.seg")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	clear(b[3*blockBytes : 4*blockBytes]) // the second chunk: header, chunk, unused block, chunk
	os.WriteFile(name, b, 0o666)
	got, meta, _ = mergeDir(t, dir)
	if d := cmp.Diff(want, raw.Text(got, nil)); d != "" || !strings.HasPrefix(warnings(meta), "raw-damaged=1") {
		t.Errorf("missing chunk: %s (-want +got):\n%s", warnings(meta), d)
	}
}

func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "000000.seg"), nil, 0o666)
	os.WriteFile(filepath.Join(dir, "000001.seg"), make([]byte, 3000), 0o666)
	if events, _, stats := mergeDir(t, dir); len(events) != 0 || stats.Streams != 0 {
		t.Errorf("%d events, %+v", len(events), stats)
	}
	if _, err := Merge(filepath.Join(dir, "none"), &trace.Meta{}, nil, Options{}); !os.IsNotExist(err) {
		t.Errorf("missing directory: %v", err)
	}
}
