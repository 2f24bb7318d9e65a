package replay

import (
	"io"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// alone makes of a schedule one of a single test, if both accesses are made by goroutines of one:
// other tests may then come and go. It returns the name of the test, "" if there is none such.
// Whether the race needs what the other tests did, a replay shows.
func alone(s *schedule, meta *trace.Meta, open func() (trace.Source, io.Closer, error)) (*schedule, string, error) {
	n := len(s.steps)
	a, b := s.testOf(s.steps[s.steps[n-1].pair].gate, meta), s.testOf(s.steps[n-1].gate, meta)
	if a < 0 || a != b {
		return nil, "", nil
	}
	name, err := firstTest(s.gates[a].g, meta, open)
	if name == "" || err != nil {
		return nil, "", err
	}
	return s.only(a), name, nil
}

// testOf is the goroutine of the test that a goroutine descends from, as an index in the gates; -1:
// it descends from none.
func (s *schedule) testOf(g int, meta *trace.Meta) int {
	for s.gates[g].parent != 0 && s.gates[g].parent != ^uint64(0) {
		p := int(s.gates[g].parent - 1)
		if id := s.gates[g].g; p == 0 && int(id) < len(meta.Goroutines) && strings.HasPrefix(meta.Goroutines[id].Func, "testing.(*T).Run.") {
			return g
		}
		g = p
	}
	return -1
}

// firstTest is the test function that a goroutine enters first.
func firstTest(g trace.GoID, meta *trace.Meta, open func() (trace.Source, io.Closer, error)) (string, error) {
	src, c, err := open()
	if err != nil {
		return "", err
	}
	defer c.Close()
	for e := (trace.Event{}); ; {
		if err := src.Next(&e); err == io.EOF {
			return "", nil
		} else if err != nil {
			return "", err
		}
		if e.G != g || e.Kind != format.Enter || int(e.Site) >= len(meta.Sites) {
			continue
		}
		f := meta.Funcs[meta.Sites[e.Site].Func]
		if name, ok := strings.CutPrefix(f.Name, f.Pkg+"."); ok && strings.HasPrefix(name, "Test") && isTest(meta.Files[f.File].Name) {
			return name, nil
		}
		return "", nil // a test that is no function with a name of its own
	}
}

// only keeps of a schedule the first goroutine, without its steps, and what descends from goroutine
// c, which comes first.
func (s *schedule) only(c int) *schedule {
	out := &schedule{apart: s.apart, pkg: s.pkg, marks: s.marks}
	out.process = s.process
	index := map[int]int{0: 0}
	for i, g := range s.gates {
		switch p, ok := index[int(g.parent-1)]; {
		case i == 0:
		case i == c:
			g.ordinal = 0
		case g.parent != 0 && ok && p > 0:
			g.parent = uint64(p) + 1
		default:
			continue
		}
		index[i] = len(out.gates)
		out.gates = append(out.gates, g)
	}
	of := func(list []step) (kept []step) {
		for _, st := range list {
			if k, ok := index[st.gate]; ok && k > 0 {
				st.gate = k
				kept = append(kept, st)
			}
		}
		return kept
	}
	out.steps, out.stops = of(s.steps), of(s.stops)
	n := len(out.steps)
	a := slices.IndexFunc(out.steps, func(st step) bool { return st.flags&held != 0 })
	out.steps[a].pair, out.steps[n-1].pair = n-1, a
	for _, f := range s.feeds {
		if k, ok := index[f.gate]; ok && k > 0 {
			f.gate = k
			out.feeds = append(out.feeds, f)
		}
	}
	return out
}
