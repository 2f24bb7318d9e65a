package stages

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// meter is a source that prints how fast it is read.
type meter struct {
	*options
	in    *source.File
	n     int64
	last  int64
	spent time.Duration
	begun time.Time
}

func (m *meter) Meta() *trace.Meta { return m.in.Meta() }

// each calls f for each event.
func (m *meter) each(f func(int64, *trace.Event)) {
	var e trace.Event
	for i := int64(0); ; i++ {
		err := m.Next(&e)
		if err == io.EOF {
			return
		}
		command.Check(err)
		f(i, &e)
	}
}

func (m *meter) Next(e *trace.Event) error {
	if m.limit > 0 && m.n == m.limit {
		m.living()
		return io.EOF
	}
	if err := m.in.Next(e); err != nil {
		m.living()
		return err
	}
	if m.n++; m.n-m.last == m.every {
		m.line()
	}
	return nil
}

// living writes the heap profile: what the stage holds when it has read the last event.
func (m *meter) living() {
	if m.memprofile != "" {
		f, err := os.Create(m.memprofile)
		command.Check(err)
		defer f.Close()
		runtime.GC()
		command.Check(pprof.Lookup("heap").WriteTo(f, 0))
	}
}

// line prints the part of the trace since the last line.
func (m *meter) line() {
	var u syscall.Rusage
	command.Check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	now := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	living := ""
	if m.heap {
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

// watch writes the heap profile after each collection that leaves more than all before it.
func watch(name string) {
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
		command.Check(pprof.Lookup("heap").WriteTo(&b, 0))
		command.Check(os.WriteFile(name, b.Bytes(), 0o666))
	}
}
