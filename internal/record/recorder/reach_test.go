package recorder_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/record/recorder/rawfile"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestReach: what a call is given leads to what the program says, however D is found; and what is
// kept is what a walk at that moment finds (check).
func TestReach(t *testing.T) {
	src, err := os.ReadFile("testdata/reach/main.go")
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t, src)
	for _, how := range []string{"kept", "full", "check"} {
		t.Run(how, func(t *testing.T) {
			out, dir, err := run(t, bin, recorder.EnvReach+"="+how, "GODEBUG=clobberfree=1")
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			p := read(t, dir)
			if err := stampsGrow(p); err != nil {
				// also where room for the records of a call needs a stamp
				t.Error(err)
			}
			ds, sets := reached(p)
			if how == "full" && sets > 0 {
				t.Errorf("%d sets", sets)
			}
			if how != "full" && (sets < 100 || sets > 10000) {
				t.Errorf("%d sets", sets)
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if len(ds) != len(lines) || len(ds) < 9000 {
				t.Fatalf("%d calls, %d lines", len(ds), len(lines))
			}
			for _, line := range lines {
				checkReach(t, line, ds)
			}
			if how != "full" {
				checkMoved(t, lines, ds)
			}
		})
	}
}

// checkMoved: a list of which the elements change places is one set.
func checkMoved(t *testing.T, lines []string, ds map[uint64]*reach) {
	t.Helper()
	names := map[string]int{}
	for _, line := range lines {
		if w := strings.Fields(line); w[1] == "moved" {
			n, _ := strconv.ParseUint(w[0], 10, 64)
			names[fmt.Sprint(ds[n].names)]++
		}
	}
	if len(names) != 1 || names["[]"] > 0 {
		t.Errorf("names of the sets of what has moved: %v", names)
	}
}

func checkReach(t *testing.T, line string, ds map[uint64]*reach) {
	t.Helper()
	words := strings.Fields(line)
	n, err := strconv.ParseUint(words[0], 10, 64)
	if err != nil || ds[n] == nil {
		t.Fatalf("no call %q", line)
	}
	for _, w := range words[1:] {
		if !strings.ContainsAny(w[:1], "+-") {
			continue
		}
		addr, err := strconv.ParseUint(w[1:], 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		if has := ds[n].has(addr); has != w[0] {
			t.Errorf("%s: %#x: D has %c; D is %v", line, addr, has, ds[n])
		}
	}
}

// reach is a D, as package excluded takes it: it has more than so many parts, and is everything.
type reach struct {
	set   excluded.Set
	names []uint32 // of sets
}

// span is a part of a D.
type span struct{ addr, n uint64 }

func (r *reach) add(spans ...span) {
	for _, x := range spans {
		r.set.AddMemory(x.addr, x.n)
	}
}

// has says what D has of a byte: '+', or '-' for nothing.
func (r *reach) has(addr uint64) byte {
	if r.set.Hits(excluded.Memory(addr, 1)) {
		return '+'
	}
	return '-'
}

func (r *reach) String() string {
	n := 0
	r.set.Each(func(uint64, uint64) { n++ }, func(trace.GoID) {})
	return fmt.Sprintf("all=%t, %d spans", r.set.All, n)
}

// rawSets is what the RawSets of a process say.
type rawSets struct {
	sets    map[uint32][]span
	grown   map[uint32][]span // what Ds grow by, all sets of a number
	endless map[uint32]bool   // Ds that grow to everything
}

func (x *rawSets) read(p *rawfile.Process) {
	x.sets, x.grown, x.endless = map[uint32][]span{}, map[uint32][]span{}, map[uint32]bool{}
	for _, s := range p.Streams {
		for r := range s.Records() {
			switch {
			case r.Kind != format.RawSet:
			case r.Flags&format.FlagMore == 0:
				x.sets[r.Site] = spansOf(r)
			case r.Flags&format.FlagAll != 0:
				x.endless[r.Site] = true
			default:
				x.grown[r.Site] = append(x.grown[r.Site], spansOf(r)...)
			}
		}
	}
}

func spansOf(r rawfile.Record) (list []span) {
	for i := 0; i < int(r.Size); i++ {
		w := r.Words[i]
		n := w & 0xffff
		if n == 0 {
			i++
			n = r.Words[i]
		}
		list = append(list, span{w >> 16, n})
	}
	return list
}

// reached returns the Ds of a process's calls, by method, and the number of sets.
func reached(p *rawfile.Process) (map[uint64]*reach, int) {
	var x rawSets
	x.read(p)
	ds := map[uint64]*reach{}
	var d *reach
	for _, s := range p.Streams {
		for r := range s.Records() {
			switch {
			case r.Kind == format.MethodBegin:
				d = &reach{}
				d.set.All = r.Flags&format.FlagAll != 0
				ds[r.Words[0]&(1<<32-1)] = d
			case r.Kind == format.ReachSet && r.Flags&format.FlagMore != 0:
				d.set.All = d.set.All || x.endless[r.Site]
				d.add(x.grown[r.Site]...)
			case r.Kind == format.ReachSet:
				d.names = append(d.names, r.Site)
				d.add(x.sets[r.Site]...)
			case r.Kind == format.Reach:
				n := uint64(r.Size)
				if n == 0 {
					n = r.Words[1]
				}
				d.add(span{r.Words[0], n})
			}
		}
	}
	return ds, len(x.sets)
}
