package thinned

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// built is the program with the recorder inside.
func built(t *testing.T) *program {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped by -short: builds the standard library with the recorder inside")
	}
	p, err := build(t.Context(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestThinned runs some hundred random programs, and the steps of the faults that the judge has
// found.
func TestThinned(t *testing.T) {
	p := built(t)
	t.Run("random", func(t *testing.T) {
		got, err := p.judge(t.Context(), 1, 300, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(got)
		if got.differ() {
			var text strings.Builder
			got.print(&text)
			t.Error(text.String())
		}
		if got.racy < 50 || got.racy > 250 {
			t.Error("too few programs have races, or too few have none, to conclude anything")
		}
	})
	for _, c := range []struct {
		name, steps string
		// bytes: the hooks of the compiler say where a number begins, and not how large it is
		racing int
	}{
		// The write of an earlier turn was taken for one of the turn that the second read
		// began.
		{"read ends turn", "1w0 2w0 1r0 2r0 2w0", 1},
		{"read ends turn, ordered", "1w0 1s0 2c0 2w0 1r0 2r0 2w0", 1},
		// The word was marked after the other goroutine knew of the atomic operation.
		{"atomic", "1r0 2A0 1r0 1o0 1r0", 1},
		{"atomic, outside code first", "1r1 2c1 1w0 2O0 1o0 1w0", 1},
		// What the kernel does to a buffer marked no words.
		{"the kernel writes", "1w0 2K0", 1},
		{"the kernel writes first", "1K0 2r0", 1},
		{"the kernel reads", "1w0 2k0", 1},
		{"the kernel reads first", "1k0 2w0", 1},
		{"the kernel twice", "1K0 2k0", 8},
		{"the kernel, and what it returns is ordered", "1w0 1s0 2c0 2K0", 0},
		{"no race", "1w0 1s0 2c0 2w0 2s1 1c1 1r0", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := p.compare(t.Context(), []string{"steps", c.steps}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got.differ() || got.locations != c.racing {
				var text strings.Builder
				got.print(&text)
				t.Errorf("%s: %d racing locations, want %d\n%s", c.steps, got.locations, c.racing, text.String())
			}
		})
	}
}

// TestReads counts the records of reads by outside code (SC7): those that have to be there, and
// none besides.
func TestReads(t *testing.T) {
	p := built(t)
	for _, c := range []struct {
		name, steps string
		records     int
	}{
		{"of outside code alone", "1w0 1r0 1r0", 0},
		{"of emitted code's write, once", "1r1 1I0 1r0 1r0 1r0", 1},
		{"after each write", "1r1 1I0 1r0 1r0 1I0 1r0 1I0 1I0 1r0", 3},
		{"of a neighbour", "1r1 1I0 1r1 1r1", 0},
		{"of a granule that was emitted code's", "1I0 1r1 1r1 1I0 1r1", 1},
		{"of what emitted code has read", "1r1 1i0 1r0", 0},
		{"of what outside code has written since", "1r1 1I0 1r0 1w0 1r0", 1},
		{"of parts", "1r1 1I0 1l0 1h0 1l0 1h0", 2},
		{"of a part that was not written", "1r1 1J0 1l0 1h0 1h0", 1},
		{"of all bytes", "1r1 1I0 1x0 1r0 1h0 1x0", 1},
		{"of bytes that remain", "1r1 1I0 1r0 1x0 1x0", 2},
		{"of an atomic write", "1r1 1A0 1r0 1r0", 1},
		{"of an atomic write by outside code", "1r1 1O0 1r0", 0},
		{"in later contexts", "1r1 1I0 1r0 1s0 1r0 1m0 1r0", 1},
		{"by two goroutines", "1r1 1I0 1s0 2c0 2r0 2s1 1c1 1r0 1r0", 2},
		{"of new memory", "1e0 1f0 1f0", 1},
		{"of new memory that outside code has written to", "1e0 1F0 1f0", 0},
		{"of new memory, by another goroutine", "1e0 1s0 2c0 2f0 2f0", 1},
		{"of new memory, again and again", "1e0 1f0 1e0 1f0 1f0 1e0 1e0 1f0", 3},
		{"after another goroutine has read, which nothing orders", "1w0 1I0 1r1 2r0 1r0", 2},
		{"after another goroutine has read, again", "1w0 1I0 1r1 2r0 1r0 1r0 2r0 1r0", 4},
		{"by two goroutines, both write", "1r1 1I0 1r0 1s0 2c0 2I0 2r0 2r0 2s1 1c1 1I0 1r0 1r0", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := p.run(t.Context(), []string{"steps", c.steps})
			if err != nil {
				t.Fatal(err)
			}
			src, err := p.traceOf(raw, false)
			if err != nil {
				t.Fatal(err)
			}
			n, err := stepReads(src)
			if err != nil || n != c.records {
				t.Errorf("%s: %d records of reads, want %d, %v", c.steps, n, c.records, err)
			}
		})
	}
}

// stepReads counts the reads of package outside that have their place in the stream: one for those
// of several words.
func stepReads(src *trace.Reader) (n int, err error) {
	events, err := eventsOf(src)
	m := src.Meta()
	for i := range events {
		e := &events[i]
		if e.Outside() && e.Kind == format.Read && e.Flags&format.FlagLate == 0 && m.Funcs[m.SiteInfo(e.Site).Func].Pkg == "outside" {
			n++
		}
	}
	return n, err
}

// TestBounded holds the number of records against the number of writes.
func TestBounded(t *testing.T) {
	p := built(t)
	for _, c := range []struct {
		name             string
		n, atLeast, most int64
	}{
		{"counted", 1000, 1000, 1100},
		// Each round has the first read of a word that the other goroutine has written, the one
		// of the own word, and late records.
		{"alternating", 1000, 2000, 24000},
		{"called back", 100, 100 * 100, 100 * 110},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := p.compare(t.Context(), []string{c.name, fmt.Sprint(c.n)}, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(got)
			if got.thin < c.atLeast || got.thin > c.most {
				t.Errorf("%d accesses of outside code are kept, want %d to %d", got.thin, c.atLeast, c.most)
			}
		})
	}
}

// TestLitmus runs programs that aim at one moment of the recorder each.
func TestLitmus(t *testing.T) {
	p := built(t)
	for _, args := range [][]string{
		{"filled", "1000"}, {"collected", "0"}, {"atomic", "0"}, {"looked", "300000"},
		{"looked", "1000"}, {"looked", "1500"}, {"looked", "1500"}, {"looked", "2000"},
		{"counted", "200"}, {"alternating", "200"}, {"announced", "100"}, {"kernel", "3"}, {"called back", "20"}, {"parts", "20"},
	} {
		t.Run(args[0]+"/"+args[1], func(t *testing.T) {
			got, err := p.compare(t.Context(), args, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(got)
			if got.differ() {
				var text strings.Builder
				got.print(&text)
				t.Error(text.String()[:min(len(text.String()), 2000)])
			}
			if timed := args[1] == "1000" || args[1] == "1500" || args[1] == "2000"; !timed && got.locations == 0 && got.asked == 0 {
				t.Error("no race, and no read of what emitted code has written: the program shows nothing")
			}
		})
	}
}

// TestNoticed runs programs with a fault in the recorder that each of them aims at.
func TestNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: builds the standard library with the recorder inside")
	}
	p, err := build(t.Context(), t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"no-soil", "counted", "200"}, {"no-catch-up", "called back", "20"}, {"any-reader", "announced", "20"},
		{"no-soil-short", "kernel", "2"}, {"granule-clean", "kernel", "1"}, {"word-clean", "parts", "20"},
	} {
		t.Run(c[0], func(t *testing.T) {
			i := slices.IndexFunc(faults, func(f fault) bool { return f.name == c[0] })
			got, err := p.compare(t.Context(), c[1:], 1, fmt.Sprint(envFault, "=", i+1))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.unread) == 0 {
				t.Errorf("not noticed: %v", got)
			}
			got, err = p.compare(t.Context(), c[1:], 1)
			if err != nil {
				t.Fatal(err)
			}
			if got.differ() {
				t.Errorf("without the fault: %v", got)
			}
		})
	}
}

// TestFaultsFit holds the faults against the recorder as it is.
func TestFaultsFit(t *testing.T) {
	for _, f := range faults {
		if f.file == "" {
			continue
		}
		text, err := os.ReadFile("../../../internal/record/recorder/_std/runtime/presage_" + f.file + ".go")
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), f.old); n != 1 {
			t.Errorf("%s: %d places like this, not one: %s", f.name, n, f.old)
		}
	}
}
