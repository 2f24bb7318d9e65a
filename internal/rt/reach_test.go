package rt_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"presage/internal/rt"
	"presage/internal/rt/rawfile"
	"presage/internal/trace/format"
)

// TestReach: what a call is given leads to what the program says, however D is found; and what is kept is what a walk at that moment finds (check).
func TestReach(t *testing.T) {
	src, err := os.ReadFile("testdata/reach/main.go")
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t, src)
	for _, how := range []string{"kept", "full", "check"} {
		t.Run(how, func(t *testing.T) {
			out, dir, err := run(t, bin, rt.EnvReach+"="+how, "GODEBUG=clobberfree=1")
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			p := read(t, dir)
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
		})
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
		if w[0] != '+' && w[0] != '-' {
			continue
		}
		addr, err := strconv.ParseUint(w[1:], 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		if has := ds[n].has(addr); has != (w[0] == '+') {
			t.Errorf("%s: %#x is in D: %t; D is %v", line, addr, has, ds[n])
		}
	}
}

// reach is a D.
type reach struct {
	all   bool
	parts [][2]uint64
}

func (r *reach) has(addr uint64) bool {
	for _, x := range r.parts {
		if x[0] <= addr && addr < x[0]+x[1] {
			return true
		}
	}
	return r.all
}

func (r *reach) String() string {
	return fmt.Sprintf("all=%t, %d parts", r.all, len(r.parts))
}

// reached returns the Ds of a process's calls, by method, and the number of sets.
func reached(p *rawfile.Process) (map[uint64]*reach, int) {
	sets := map[uint32][][2]uint64{}
	ds := map[uint64]*reach{}
	var d *reach
	for _, s := range p.Streams {
		for r := range s.Records() {
			switch r.Kind {
			case format.RawSet:
				var list [][2]uint64
				for i := 0; i < int(r.Size); i++ {
					w := r.Words[i]
					if w&0xffff == 0 {
						i++
						list = append(list, [2]uint64{w >> 16, r.Words[i]})
					} else {
						list = append(list, [2]uint64{w >> 16, w & 0xffff})
					}
				}
				sets[r.Site] = list
			case format.MethodBegin:
				d = &reach{all: r.Flags&format.FlagAll != 0}
				ds[r.Words[0]] = d
			case format.ReachSet:
				d.parts = append(d.parts, sets[r.Site]...)
			case format.Reach:
				d.parts = append(d.parts, [2]uint64{r.Words[0], r.Words[1]})
			}
		}
	}
	return ds, len(sets)
}
