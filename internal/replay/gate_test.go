package replay

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/record/recorder"
)

// loop passes gates of sites that the schedule does not name.
const loop = `package main

import (
	"fmt"
	"presagert"
	"time"
	"unsafe"
)

var x int

const n = 500_000

func measure(f func()) float64 {
	best := time.Hour
	for range 300 { // short stretches: the best is one in which no other process had the processor
		begun := time.Now()
		f()
		best = min(best, time.Since(begun))
	}
	return float64(best.Nanoseconds()) / n
}

func main() {
	fmt.Println(measure(func() {
		for i := range uint32(n) {
			presagert.Gate(i & 1023)
			presagert.Done(i & 1023)
		}
	}), measure(func() {
		for i := range uint32(n) {
			if presagert.GateAt(i & 1023, unsafe.Pointer(&x), 8) {
				panic("hidden")
			}
			presagert.Done(i & 1023)
		}
	}))
}
`

// BenchmarkGate measures the two calls around an instruction that no schedule names, in a program
// that has a schedule: the metric is nanoseconds for both of them.
func BenchmarkGate(b *testing.B) {
	dir := b.TempDir()
	std, err := recorder.New(b.Context(), recorder.Config{OutDir: filepath.Join(dir, "std"), Gates: true})
	if err != nil {
		b.Fatal(err)
	}
	overlay, err := std.JSON(nil)
	if err != nil {
		b.Fatal(err)
	}
	files := map[string][]byte{
		"overlay.json": overlay, "main.go": []byte(loop), "go.mod": []byte("module loop\n\ngo 1.25\n"),
	}
	s := &schedule{gates: []gate{{g: 1, parent: ^uint64(0)}}, marks: make([]byte, 2048), steps: []step{{site: 2000, pair: -1}, {site: 2001, pair: -1}}}
	s.marks[2000], s.marks[2001] = 1, 1
	data, perm := s.encode(variant{limit: 1e6})
	files["schedule"] = data
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	build := exec.Command(std.Go, "build", "-overlay="+filepath.Join(dir, "overlay.json"), "-o", "loop", ".")
	build.Dir, build.Env = dir, append(os.Environ(), std.Env...)
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		cmd := exec.Command(filepath.Join(dir, "loop"))
		cmd.Env = append(os.Environ(), recorder.EnvGates+"="+filepath.Join(dir, "schedule"))
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			b.Fatalf("%v\n%s", err, errs.Bytes())
		}
		if st, err := readState(filepath.Join(dir, "schedule"), perm); err != nil || st.pid == 0 {
			b.Fatalf("the program did not take the schedule: %v", err)
		}
		for i, f := range strings.Fields(out.String()) {
			ns, err := strconv.ParseFloat(f, 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns, []string{"ns/gate", "ns/gate-at"}[i])
		}
		if err := os.WriteFile(filepath.Join(dir, "schedule"), files["schedule"], 0o666); err != nil {
			// it was given to a process
			b.Fatal(err)
		}
	}
}

// TestJudge gives the judge what the race detector prints.
func TestJudge(t *testing.T) {
	text, err := os.ReadFile("testdata/races.txt")
	if err != nil {
		t.Fatal(err)
	}
	ours := func(file string) bool { return strings.HasPrefix(file, "/src/") }
	line := func(n int) Line { return Line{File: "/src/a.go", Line: n} }
	for _, c := range []struct {
		a, b Line
		want bool
	}{
		{line(12), line(18), true},
		{line(18), line(12), true}, // in either order
		{line(12), line(12), false},
		{line(30), line(41), true},  // in the runtime: the map's line in the program counts
		{line(30), line(99), false}, // called from 99
		{line(12), line(30), false}, // two reports
		{line(50), line(60), false}, // a stack that could not be restored
		{Line{File: "/other/a.go", Line: 12}, line(18), false},
		{Line{File: "/src/a.go", Line: 13, Near: 1}, line(18), true}, // an atomic operation
		{Line{File: "/src/a.go", Line: 14, Near: 1}, line(18), false},
	} {
		if got := Judge(string(text), c.a, c.b, ours); (got != "") != c.want {
			t.Errorf("%v, %v: report %q, want one: %v", c.a, c.b, got, c.want)
		}
	}
	if n := len(reports(string(text))); n != 3 {
		t.Errorf("%d reports, want 3", n)
	}
}

// TestContradicts: two runs have to follow the schedule to its end.
func TestContradicts(t *testing.T) {
	followed, loose, other := Try{Followed: true}, Try{Followed: true, Level: strict}, Try{Met: true}
	for _, c := range []struct {
		out  Outcome
		want bool
	}{
		{Outcome{Judge: ByDetector, Tries: []Try{followed, followed}}, true},
		{Outcome{Judge: ByDetector, Tries: []Try{followed, loose}}, false},
		{Outcome{Judge: ByDetector, Tries: []Try{followed, other, loose}}, false},
		{Outcome{Judge: ByGates, Tries: []Try{followed, followed}}, false},
		{Outcome{Judge: ByDetector, Confirmed: true, Tries: []Try{followed, followed}}, false},
	} {
		if got := c.out.Contradicts(); got != c.want {
			t.Errorf("%+v: %v", c.out, got)
		}
	}
}

// TestUnsteady: a machine that has nothing else to do cannot change the outcome of schedules that
// were kept to their end, nor of a race that is confirmed.
func TestUnsteady(t *testing.T) {
	kept, diverged := Try{Met: true, Followed: true}, Try{}
	for _, c := range []struct {
		out  Outcome
		want bool
	}{
		{Outcome{Tries: []Try{kept, kept, kept}}, false},
		{Outcome{Tries: []Try{kept, diverged, kept}}, true},
		{Outcome{Tries: []Try{{Met: true}}}, true},
		{Outcome{Confirmed: true, Tries: []Try{diverged, {Confirmed: true}}}, false},
	} {
		if got := c.out.Unsteady(); got != c.want {
			t.Errorf("%+v: %v", c.out, got)
		}
	}
}

// TestOutcomeJSON: what is printed can be read again.
func TestOutcomeJSON(t *testing.T) {
	o := Outcome{ID: "x", Confirmed: true, Judge: ByDetector, Steps: 3, Tries: []Try{{Confirmed: true, Met: true, Report: "r", Command: []string{"c"}, Schedule: []Passage{{Order: 1, Goroutine: 2, Kind: "read", File: "f", Line: 3, Event: 4}}}}}
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var back Outcome
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(back)
	if !bytes.Equal(data, again) {
		t.Errorf("%s\n%s", data, again)
	}
}
