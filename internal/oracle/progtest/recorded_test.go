package progtest_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

var realPrograms = flag.Int("real", 3, "programs of TestRecorded")

// TestRecorded records programs for real, has the interpreter follow the schedules, and compares
// the two traces event by event: every goroutine has the same, but for addresses.
func TestRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	l := progtest.NewLoader()
	compared, others, skipped, wrong, events := 0, 0, 0, 0, 0
	for seed := *seed; compared < *realPrograms; seed++ {
		src := progtest.Generate(seed, progtest.Knobs{})
		p, err := l.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.Record(seed)
		if err != nil || !run.Ended { // it may panic or wait for ever
			continue
		}
		recorded, ok := recordReally(t, src)
		if !ok {
			continue
		}
		if strings.Contains(src, "time.") || strings.Contains(src, "sync.Pool") {
			// Follow does not know which item a Get took, nor when a timer fired
			if n := falseRaces(t, p, recorded); n > 0 {
				t.Fatalf("program %d: %d false races\n%s", seed, n, src)
			}
			others++
			continue
		}
		mine, err := p.Follow(recorded)
		if errors.Is(err, progtest.ErrOrder) {
			t.Logf("program %d: %v", seed, err)
			skipped++
			wrong += falseRaces(t, p, recorded)
			continue
		}
		if err == nil {
			err = same(recorded, mine.Events)
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%s", seed, err, src)
		}
		if n := falseRaces(t, p, recorded); n > 0 {
			t.Fatalf("program %d: %d false races\n%s", seed, n, src)
		}
		compared++
		events += len(mine.Events)
	}
	t.Logf("%d programs, %d events the same; %d programs with timers or pools, of which only the races were judged; %d programs not compared, because a read comes before the write that it returned, with %d false races", compared, events, others, skipped, wrong)
}

// TestRecordedSync does the same with programs that have every operation of package sync, each
// recorded once.
func TestRecordedSync(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	files, err := filepath.Glob("testdata/recorded/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	l := progtest.NewLoader()
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".go"), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := l.Load(string(src))
			if err != nil {
				t.Fatal(err)
			}
			recorded, ok := recordReally(t, string(src))
			if !ok {
				t.Fatal("the program failed")
			}
			mine, err := p.Follow(recorded)
			if err == nil {
				err = same(recorded, mine.Events)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// falseRaces counts what is reported of a recorded run and is no race of the program.
func falseRaces(t *testing.T, p *progtest.Program, events []trace.Event) (n int) {
	t.Helper()
	truth := p.Explore(1 << 18)
	if !truth.Exhausted {
		return 0
	}
	r := progtest.Run{Events: events, Meta: &trace.Meta{Source: "presage", Funcs: p.Plan.Funcs, Sites: p.Plan.Sites}}
	res, err := predict.Run(context.Background(), r.Source(), r.Meta, predict.Options{Walker: walk.New(p.Plan)})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range res.Races {
		if q := progtest.PairOf(q.A.Site, q.B.Site); !truth.Has(q) {
			t.Logf("false race of a recorded run: %s\n%s", p.Describe(q), p.Source)
			n++
		}
	}
	return n
}

// recordReally builds and runs a program as the command does. It is not ok if the program failed.
func recordReally(t *testing.T, src string) ([]trace.Event, bool) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module tiny\n\ngo 1.26\n", progtest.FileName: src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out bytes.Buffer
	res, err := record.Run(context.Background(), record.Config{Packages: []string{"."}, Stdout: &out, Stderr: &out})
	if err != nil || len(res.Traces) != 1 {
		t.Fatalf("recording: %v\n%s", err, out.String())
	}
	if res.ExitCode != 0 {
		return nil, false
	}
	tr, err := trace.Open(res.Traces[0])
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	var events []trace.Event
	for {
		var e trace.Event
		if err := tr.Next(&e); errors.Is(err, io.EOF) {
			return events, true
		} else if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

// A matcher compares two traces up to the names of goroutines and addresses.
type matcher struct{ to, from map[uint64]uint64 }

// same compares what the goroutines did, each by itself, in the order of their start.
func same(a, b []trace.Event) error {
	x, y := goroutines(a), goroutines(b)
	if len(x) != len(y) {
		return fmt.Errorf("%d goroutines recorded, %d interpreted", len(x), len(y))
	}
	m := &matcher{map[uint64]uint64{}, map[uint64]uint64{}}
	for g := range x {
		// the program may end before the goroutine does
		for n := len(y[g]); n > len(x[g]) && (y[g][n-1].Kind == format.End || y[g][n-1].Kind == format.Exit); n-- {
			y[g] = y[g][:n-1]
		}
		for i := range max(len(x[g]), len(y[g])) {
			if i >= len(x[g]) || i >= len(y[g]) {
				return fmt.Errorf("goroutine %d: %d events recorded, %d interpreted; after %+v", g, len(x[g]), len(y[g]), x[g][min(len(x[g]), len(y[g]))-1])
			}
			if p, q := x[g][i], y[g][i]; !m.event(&p, &q) {
				return fmt.Errorf("goroutine %d, event %d: recorded %+v, interpreted %+v", g, i, p, q)
			}
		}
	}
	return nil
}

// goroutines returns the events of main and of those that instrumented code started. Allocations
// are left out: which of them are visible is the runtime's affair.
func goroutines(events []trace.Event) [][]trace.Event {
	slots := map[trace.GoID]int{}
	var out [][]trace.Event
	for _, e := range events {
		if e.Kind == format.Enter && len(out) == 0 {
			slots[e.G], out = 0, append(out, nil)
		}
		s, ok := slots[e.G]
		if !ok || e.Flags&format.FlagOpaque != 0 || e.Kind == format.Alloc || e.Kind == format.Start {
			continue
		}
		if e.Kind == format.Go {
			slots[trace.GoID(e.Obj)] = len(out)
			e.Obj = trace.Addr(len(out))
			out = append(out, nil)
		}
		e.G = 0
		out[s] = append(out[s], e)
	}
	return out
}

func (m *matcher) event(p, q *trace.Event) bool {
	if p.Kind != q.Kind || p.Flags != q.Flags || p.Size != q.Size || p.Site != q.Site {
		return false
	}
	val, aux := p.Val, p.Aux
	switch {
	case p.Kind == format.SelectCase: // only a steered run has the numbers of cases
		val = q.Val
	case format.IsMapWord(p.Obj):
		val, aux = asAddress(val), asAddress(aux)
	}
	return m.number(uint64(p.Obj), uint64(q.Obj)) && m.number(val, q.Val) && m.number(aux, q.Aux)
}

// asAddress is the number of a value of a sync.Map as one that need not be the interpreter's.
func asAddress(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return 1<<51 | n
}

// number compares two words: equal, or addresses that always stand for each other.
func (m *matcher) number(a, b uint64) bool {
	const lowest = 0x400000 // of the addresses of a program
	if a < lowest || b < lowest {
		return a == b
	}
	p, ok := m.to[a]
	q, ok2 := m.from[b]
	if !ok && !ok2 {
		m.to[a], m.from[b] = b, a
		return true
	}
	return ok && ok2 && p == b && q == a
}
