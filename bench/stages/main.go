// Stages measures each stage of an analysis on its own: what it costs in CPU time an event, and
// how its memory grows over the trace.
//
//	go run ./bench/stages merge raw/1234        # the directory of one process, kept with -exec (below)
//	go run ./bench/stages read t.trace          # decoding alone
//	go run ./bench/stages hb t.trace            # and the happens-before pass
//	go run ./bench/stages walk t.trace          # and, instead, the walk through the program
//	go run ./bench/stages window t.trace        # and the windows, without a walk, without the engine
//	go run ./bench/stages all t.trace           # everything, as presage analyze does it
//
// A run removes its raw records when the trace is made. To keep them, give presage test an -exec
// that is a script of these lines:
//
//	"$@"; code=$?
//	cp -al "$PRESAGE_DIR"/. /where/they/stay
//	exit $code
//
// Each line of the output is a part of the trace: events so far, millions of events per second of
// CPU in this part, the heap in use after a collection forced there (with -heap), the anonymous
// memory of the process.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/record/merge"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

var (
	limit = flag.Int64("n", 0, "events to read; 0: all")
	every = flag.Int64("every", 10_000_000, "events between two lines")
	heap  = flag.Bool("heap", false, "collect garbage before each line, to see what lives")
	out   = flag.String("o", "", "merge: write the trace to this file (without tables)")
	level = flag.String("level", "causal", "all: causal, value or path")
	cpu   = flag.String("cpuprofile", "", "write a CPU profile to this file")
	stop  = flag.Duration("stop", 0, "end then, with the CPU profile so far")
	mem   = flag.String("memprofile", "", "write a heap profile at the last event to this file")
	peak  = flag.String("peakprofile", "", "write a heap profile of when most was live to this file")
)

func main() {
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if *cpu != "" {
		f, err := os.Create(*cpu)
		check(err)
		check(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
	}
	if *stop > 0 {
		time.AfterFunc(*stop, func() {
			pprof.StopCPUProfile()
			os.Exit(1)
		})
	}
	if *peak != "" {
		go watch()
	}
	stage(flag.Arg(0), flag.Arg(1))
}

// watch writes the heap profile each time that a collection has left more than all before it did.
func watch() {
	var s runtime.MemStats
	last, most := uint32(0), uint64(0)
	for ; ; time.Sleep(10 * time.Millisecond) {
		runtime.ReadMemStats(&s)
		if s.NumGC == last {
			continue
		}
		last = s.NumGC
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		if metrics.Read(live); live[0].Value.Uint64() < most+most/50 {
			continue
		}
		most = live[0].Value.Uint64()
		var b bytes.Buffer
		check(pprof.Lookup("heap").WriteTo(&b, 0))
		check(os.WriteFile(*peak, b.Bytes(), 0o666))
	}
}

// living writes the heap profile: what the stage holds when it has read the last event.
func living() {
	if *mem != "" {
		f, err := os.Create(*mem)
		check(err)
		defer f.Close()
		runtime.GC()
		check(pprof.Lookup("heap").WriteTo(f, 0))
	}
}

func stage(name, file string) {
	m := &meter{begun: time.Now()}
	if name == "merge" {
		var to io.Writer = io.Discard
		if *out != "" {
			f, err := os.Create(*out)
			check(err)
			defer f.Close()
			to = f
		}
		w, err := trace.NewWriter(to, nil)
		check(err)
		stats, err := merge.Merge(file, &trace.Meta{}, w, merge.Options{})
		check(err)
		check(w.Close(nil))
		m.n = stats.Events
		m.line()
		fmt.Printf("%+v\n", stats)
		return
	}
	in, err := source.Open(file)
	check(err)
	defer in.Close()
	m.in, m.left = in, *limit
	switch name {
	case "read":
		each(m, func(int64, *trace.Event) {})
	case "hb":
		d := hb.New()
		each(m, d.Step)
		fmt.Printf("%d pairs of sites\n", len(d.Races()))
	case "walk":
		w := walker(in)
		each(m, func(i int64, e *trace.Event) { w.Step(i, e) })
		fmt.Printf("%+v\n", w.Stats())
	case "window":
		b := window.NewBuilder(window.BuildOptions{Meta: in.Meta()}, func(*built.Window) error { return nil })
		each(m, func(i int64, e *trace.Event) { check(b.Add(i, e, flow.Flow{})) })
		check(b.Flush())
		fmt.Printf("%+v\n", b.Counts())
	case "all":
		opt := predict.Options{Level: map[string]predict.Level{"causal": predict.Causal, "value": predict.Value, "path": predict.Paths}[*level]}
		var w *walk.Walker
		if in.Meta().Source == "presage" {
			w = walker(in)
			opt.Walker = w
		}
		res, err := predict.Run(context.Background(), m, in.Meta(), opt)
		check(err)
		fmt.Printf("%d races, %+v\n", len(res.Races), res.Counts)
		if w != nil {
			fmt.Printf("walk: %+v\n", w.Stats())
		}
		for _, w := range res.Warnings {
			fmt.Printf("warning %s: %s\n", w.Code, w.Text)
		}
	default:
		flag.Usage()
		os.Exit(2)
	}
	m.line()
}

func walker(in *source.File) *walk.Walker {
	p, err := walk.Load(context.Background(), in.Meta())
	check(err)
	switch *level {
	case "value":
		return walk.NewSymbolic(p)
	case "path":
		return walk.NewBranching(p)
	}
	return walk.New(p)
}

func each(m *meter, f func(int64, *trace.Event)) {
	var e trace.Event
	for i := int64(0); ; i++ {
		if err := m.Next(&e); err == io.EOF {
			return
		} else {
			check(err)
		}
		f(i, &e)
	}
}

// meter is a source that prints how fast it is read.
type meter struct {
	in    *source.File
	n     int64
	left  int64
	last  int64
	spent time.Duration
	begun time.Time
}

func (m *meter) Meta() *trace.Meta { return m.in.Meta() }

func (m *meter) Next(e *trace.Event) error {
	if m.left > 0 && m.n == m.left {
		living()
		return io.EOF
	}
	if err := m.in.Next(e); err != nil {
		living()
		return err
	}
	if m.n++; m.n-m.last == *every {
		m.line()
	}
	return nil
}

func (m *meter) line() {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	now := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	living := ""
	if *heap {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		living = fmt.Sprintf("%d MB live, ", s.HeapAlloc>>20)
	}
	fmt.Printf("%d events, %.2f million/s CPU, %s%d MB anonymous, %d MB with files, %.1f s CPU, %.1f s\n",
		m.n, float64(m.n-m.last)/1e6/max(1e-9, (now-m.spent).Seconds()), living, status("RssAnon")>>10, status("VmHWM")>>10, now.Seconds(), time.Since(m.begun).Seconds())
	m.last, m.spent = m.n, now
}

// status returns a line of /proc/self/status, in kB.
func status(key string) int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == key+":" {
			n, _ := strconv.Atoi(string(f[1]))
			return n
		}
	}
	return 0
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "stages:", err)
		os.Exit(1)
	}
}
