package recipe

import (
	"context"
	"fmt"
	"io"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/source"
)

// shape is the Trace section of Table II.
type shape struct {
	threads             int
	reads, writes, base int
	branches, depending int
	sync, total         int
}

// shapeOf counts the events of a trace that belong to the program's packages.
func shapeOf(ctx context.Context, file string, ours func(pkg string) bool) (*shape, error) {
	c := &counter{program: ours, at: make(map[uint64]int32), reads: make(map[int64]bool), base: make(map[int64]bool), seen: make(map[trace.GoID]bool)}
	for _, step := range []func(int64, *trace.Event){c.locate, c.count} {
		if err := c.pass(file, step); err != nil {
			return nil, err
		}
	}
	s, err := source.Open(file)
	if err != nil {
		return nil, err
	}
	p, err := walk.Load(ctx, s.Meta())
	if err = closing(s, err); err != nil {
		return nil, err
	}
	c.walker = walk.NewSymbolic(p)
	c.walker.OnBranch(c.branch)
	if err := c.pass(file, c.walk); err != nil {
		return nil, err
	}
	c.shape.base = len(c.base)
	if n := c.walker.Stats().Mismatches; n > 0 {
		return nil, fmt.Errorf("%d mismatches of the walk, first %v", n, c.walker.Mismatches()[0])
	}
	return &c.shape, nil
}

// counter goes over a trace three times: which locations are shared, what is done to them, what
// rests on it.
type counter struct {
	shape
	program func(pkg string) bool
	meta    *trace.Meta
	ours    []bool // by site: of the program

	at        map[uint64]int32 // address to the location that is there now
	locations []location
	accesses  []int32 // location of each access of the trace, in order
	next      int

	walker *walk.Walker
	reads  map[int64]bool // shared reads by trace index: whether it may be an address
	base   map[int64]bool
	seen   map[trace.GoID]bool
}

// location is an address between two allocations of it.
type location struct {
	first          trace.GoID
	several, write bool
}

func (c *counter) pass(file string, step func(int64, *trace.Event)) error {
	s, err := source.Open(file)
	if err != nil {
		return err
	}
	c.meta = s.Meta()
	if c.ours == nil {
		for i := range c.meta.Sites {
			f := c.meta.Sites[i].Func
			c.ours = append(c.ours, int(f) < len(c.meta.Funcs) && c.program(c.meta.Funcs[f].Pkg))
		}
	}
	var e trace.Event
	for i := int64(0); ; i++ {
		if err := s.Next(&e); err == io.EOF {
			return s.Close()
		} else if err != nil {
			return closing(s, err)
		}
		step(i, &e)
	}
}

func closing(s *source.File, err error) error {
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	return err
}

func (c *counter) isOurs(e *trace.Event) bool { return int(e.Site) < len(c.ours) && c.ours[e.Site] }

// locate is the first pass.
func (c *counter) locate(_ int64, e *trace.Event) {
	switch {
	case e.Kind == format.Alloc:
		for a := uint64(e.Obj); a < uint64(e.Obj)+min(e.Val, 1<<16); a++ {
			delete(c.at, a)
		}
	case e.Kind.IsAccess():
		l, ok := c.at[uint64(e.Obj)]
		if !ok {
			l = int32(len(c.locations))
			c.locations = append(c.locations, location{first: e.G})
			c.at[uint64(e.Obj)] = l
		}
		loc := &c.locations[l]
		loc.several = loc.several || loc.first != e.G
		loc.write = loc.write || e.Kind.IsWrite()
		c.accesses = append(c.accesses, l)
	}
}

// count is the second pass.
func (c *counter) count(i int64, e *trace.Event) {
	shared := false
	if e.Kind.IsAccess() {
		l := c.locations[c.accesses[c.next]]
		c.next++
		shared = l.several && l.write && e.Flags&format.FlagStack == 0
	}
	if !c.isOurs(e) {
		return
	}
	c.total++
	switch {
	case shared && e.Flags&format.FlagMore == 0:
		if e.Kind.IsWrite() {
			c.writes++
		}
		if e.Kind != format.Write && e.Kind != format.AtomicWrite {
			c.shape.reads++
			c.reads[i] = e.Val >= firstAddress
		}
	case e.Kind >= format.Lock && e.Kind <= format.Go:
		c.sync++
	case e.Kind == format.Enter && !c.seen[e.G]:
		c.seen[e.G] = true
		c.threads++
	}
}

// firstAddress is below every address of a Go program, and above the indices that a small program
// has.
const firstAddress = 1 << 20

// walk is the third pass: what rests on the reads.
func (c *counter) walk(i int64, e *trace.Event) {
	flow := c.walker.Step(i, e)
	if c.isOurs(e) && e.Kind != format.Block {
		c.bases(&flow)
	}
}

// branch counts a conditional branch.
func (c *counter) branch(f *plan.Func, reads []int64) {
	if !c.program(c.meta.Funcs[f.ID].Pkg) {
		return
	}
	c.branches++
	for _, r := range reads {
		if _, shared := c.reads[r]; shared {
			c.depending++
			return
		}
	}
}

// bases notes the shared reads that an event's address is made of.
func (c *counter) bases(f *flow.Flow) {
	c.rests(f, func(r int64) {
		if c.reads[r] {
			c.base[r] = true
		}
	})
}

// rests calls yield for every read that an event needs or a guard of it is made of.
func (c *counter) rests(f *flow.Flow, yield func(int64)) {
	for _, r := range f.Needs {
		yield(r)
	}
	for _, g := range f.Guards {
		for _, r := range g.Term.Reads() {
			yield(r.Number())
		}
	}
}
