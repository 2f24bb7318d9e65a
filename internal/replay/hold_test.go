package replay

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace/format"
)

// heldProgram is a program without gates of its own. A goroutine reads what another one writes;
// while it is held in the hook of the read, a variable on its stack is declared and not yet
// filled, and holds addresses of memory that was freed. The garbage collector runs meanwhile.
const heldProgram = `package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

type big struct{ p [24]*int }

var (
	shared = &big{}
	cycles atomic.Int32
	sink   []byte
	mu     sync.Mutex
	wg     sync.WaitGroup
	freed  []uintptr
)

//go:noinline
func dirty() (n uintptr) {
	var junk [256]uintptr
	for i := range junk {
		junk[i] = freed[i%len(freed)]
	}
	for _, x := range junk[:] {
		n += x & 1
	}
	return n
}

//go:noinline
func get(p *big) int {
	v := *p // read
	n := 0
	for _, x := range v.p {
		if x != nil {
			n += *x
		}
	}
	return n
}

//go:noinline
func put(p *big) {
	p.p[0] = new(int) // write
}

func reader() {
	defer wg.Done()
	if len(os.Args) > 1 {
		mu.Lock()
		defer mu.Unlock()
	}
	dirty()
	get(shared)
}

func writer() {
	defer wg.Done()
	for cycles.Load() < 20 {
		time.Sleep(time.Millisecond)
	}
	if len(os.Args) > 1 {
		mu.Lock()
		defer mu.Unlock()
	}
	put(shared)
}

func main() {
	for range 64 {
		large := make([]byte, 1<<20)
		freed = append(freed, uintptr(unsafePointer(large)))
		sink = large
	}
	sink = nil
	runtime.GC()
	runtime.GC()
	wg.Add(2)
	go reader()
	go writer()
	for range 40 {
		runtime.GC()
		cycles.Add(1)
	}
	wg.Wait()
	fmt.Println("ended")
}
`

const heldPointer = `package main

import "unsafe"

func unsafePointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
`

// lineOf is the line of a program that has a comment.
func lineOf(t testing.TB, program, comment string) int {
	before, _, ok := strings.Cut(program, "// "+comment)
	if !ok {
		t.Fatalf("the program has no line with %q", comment)
	}
	return strings.Count(before, "\n") + 1
}

// raceProgram builds a program with the race detector and gates.
func raceProgram(t testing.TB, files map[string]string) (dir string) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler, and so no race detector")
	}
	dir = t.TempDir()
	std, err := recorder.New(t.Context(), recorder.Config{OutDir: filepath.Join(dir, "std"), Gates: true})
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := std.JSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	files["overlay.json"], files["go.mod"] = string(overlay), "module held\n\ngo 1.25\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command(std.Go, "build", "-race", "-overlay=overlay.json", "-o", "held", ".")
	build.Dir, build.Env = dir, append(os.Environ(), std.Env...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// heldSchedule has the read of get and the write of put as its pair.
func heldSchedule(t testing.TB, read, write *outsidePlace) *schedule {
	s := &schedule{
		gates: []gate{{g: 1, parent: ^uint64(0)}, {g: 2, parent: 1, key: nameHash("main.reader")}, {g: 3, parent: 1, key: nameHash("main.writer")}},
		marks: make([]byte, 8),
		steps: []step{
			{gate: 1, site: noSite, place: read, flags: held | outside, pair: 1, kind: format.Read, obj: 8},
			{gate: 2, site: noSite, place: write, flags: held | outside, pair: 0, kind: format.Write, obj: 8},
		},
	}
	order(s.steps, 0)
	return s
}

// TestHeld: a goroutine is held in a hook of the race detector until the other one of the pair
// stands in its own, whatever the garbage collector does meanwhile.
func TestHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library with the race detector")
	}
	dir := raceProgram(t, map[string]string{"main.go": heldProgram, "pointer.go": heldPointer})
	read := &outsidePlace{fn: "main.get", line: lineOf(t, heldProgram, "read")}
	write := &outsidePlace{fn: "main.put", line: lineOf(t, heldProgram, "write"), write: true}
	for _, c := range []struct {
		name         string
		read, write  *outsidePlace
		args         []string
		met, reports bool
	}{
		{"race", read, write, nil, true, true},
		{"both under a lock", read, write, []string{"lock"}, false, false},
		{"another line", &outsidePlace{fn: "main.get", line: read.line + 1}, write, nil, false, true},
		{"another kind", read, &outsidePlace{fn: "main.put", line: write.line}, nil, false, true},
	} {
		v := variant{limit: 3e8}
		if c.met {
			v.limit = 2e10
		}
		data, perm := heldSchedule(t, c.read, c.write).encode(v)
		file := filepath.Join(dir, "schedule")
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(dir, "held"), c.args...)
		cmd.Env = append(os.Environ(), recorder.EnvGates+"="+file, "GORACE=exitcode=0 atexit_sleep_ms=0", "GOTRACEBACK=system")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, out.Bytes())
		}
		st, err := readState(file, perm)
		if err != nil || st.pid == 0 {
			t.Fatalf("%s: the program did not take the schedule: %v", c.name, err)
		}
		met := st.steps[0].state >= passed && st.steps[1].state >= passed && overlap(st.steps[0], st.steps[1]) && len(st.stalls) == 0
		if met != c.met {
			t.Errorf("%s: the two accesses met: %v, want %v: %+v, stalls %v", c.name, met, c.met, st.steps, st.stalls)
		}
		text := strings.ReplaceAll(out.String(), "ended\n", "")
		found := Judge(text, Line{Func: "main.get", Line: read.line}, Line{Func: "main.put", Line: write.line}, func(string) bool { return false })
		if (found != "") != c.reports {
			t.Errorf("%s: the race detector reports %v, want a race of the two lines: %v", c.name, text, c.reports)
		}
	}
}

const hookLoop = `package main

import (
	"fmt"
	"os"
	"time"
)

type cell struct{ a [8]int }

//go:noinline
func work(c *cell, n int) {
	for i := range n {
		c.a[i&7]++
	}
}

func main() {
	c := &cell{}
	best := time.Hour
	for range 200 {
		begun := time.Now()
		work(c, 100_000)
		best = min(best, time.Since(begun))
	}
	fmt.Fprintln(os.Stdout, float64(best.Nanoseconds())/200_000)
}
`

// BenchmarkHook measures a hook of the race detector: without a schedule, in a goroutine with a
// schedule, and in one that has a step of outside code next. The metrics are nanoseconds for
// one access.
func BenchmarkHook(b *testing.B) {
	dir := raceProgram(b, map[string]string{"main.go": hookLoop})
	file := filepath.Join(dir, "schedule")
	schedules := map[string]*schedule{"none": nil}
	for name, flags := range map[string]uint8{"scheduled": 0, "watched": outside} {
		s := &schedule{gates: []gate{{g: 1, parent: ^uint64(0)}}, marks: make([]byte, 8), steps: []step{{site: noSite, flags: flags, pair: -1}, {site: noSite, flags: flags, pair: -1}}}
		if flags == outside {
			s.steps[0].place, s.steps[1].place = &outsidePlace{fn: "main.other", line: 1}, &outsidePlace{fn: "main.other", line: 1}
		}
		s.steps[0].pair, s.steps[1].pair = 1, 0
		schedules[name] = s
	}
	for b.Loop() {
		for name, s := range schedules {
			cmd := exec.Command(filepath.Join(dir, "held"))
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
			if s != nil {
				data, _ := s.encode(variant{limit: 1e6})
				if err := os.WriteFile(file, data, 0o666); err != nil {
					b.Fatal(err)
				}
				cmd.Env = append(cmd.Env, recorder.EnvGates+"="+file)
			}
			out, err := cmd.Output()
			if err != nil {
				b.Fatal(err)
			}
			ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns, "ns/"+name)
		}
	}
}
