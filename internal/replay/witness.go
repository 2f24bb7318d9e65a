package replay

import (
	"errors"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Witness is an execution that ends in a race, in event numbers of a trace: the events before From
// in their recorded order, then Order, whose last two are the accesses.
type Witness struct {
	From  int64
	Order []int64
	// Paths are how goroutines leave what was recorded of them. Their steps, one path after the
	// other, are −1, −2, … in Order.
	Paths []Path
	// Recorded: the recorded run itself is the execution; Order has the accesses alone, which need
	// not be next to each other.
	Recorded bool
	// Tried: it is no witness, but a schedule in which code outside the trace may see something
	// else than in the recorded run.
	Tried bool
}

// Path is what a goroutine, and those that it starts, do in place of an event and what follows it
// in the goroutine.
type Path struct {
	G      trace.GoID
	Before int64
	Steps  []trace.Event
	Cases  []int // by step: of a select, the number of its case
	// Ended says that the steps replace nothing. They come after all events of the goroutine: it
	// had not ended when the recorded run did.
	Ended bool
}

// schedule is the input of the gates.
type schedule struct {
	gates []gate
	steps []step // in the order of the witness; the last two are the pair
	stops []step // at which goroutines wait that do nothing more in the witness (RP1)
	marks []byte // by site
	apart bool   // the accesses of the pair need not be next to each other
	pkg   string // package of the first test function that ran
	// for a second try, of a recorded race of outside code: with the accesses next to each other,
	// or not
	other *schedule
	input // what the program is fed
}

// step is one passage of a gate.
type step struct {
	gate  int
	site  trace.Site
	flags uint8
	skip  uint64 // how often the goroutine comes to the site between its last step and this one
	pair  int    // the other access of the pair, -1: none
	preds []pred

	index int64 // event
	key   float64
	kind  format.Kind
	eflag format.Flags
	obj   trace.Addr
	val   uint64
	aux   uint64

	place *outsidePlace // of outside code (RP2)

	nth uint64 // how often the goroutine came to the site before
	// of a select: 1 + 0 for default, 1 + position of the case as the runtime has it + 1; 0: not
	// known
	choice uint64
}

type pred struct {
	step  int
	level uint64
}

// walker goes over the events of a trace up to the last one of the witness. The first pass finds
// out what there is, the second makes the steps.
type walker struct {
	w     Witness
	meta  *trace.Meta
	last  int64
	place map[int64]float64 // of the events of the order
	pair  [2]int64

	classes  []class
	words    map[trace.Addr]*sharing
	objects  map[trace.Addr]*sharing
	brackets map[int64]*bracket // by OpaqueBegin
	kids     map[trace.GoID][]trace.GoID
	begun    map[trace.GoID]trace.Site // go statements of goroutines that paths start
	touches  map[trace.Site]bool       // sites that access shared memory
	pkg      string

	gs    map[trace.GoID]*goState
	steps []step
	stops []step
	err   error
}

// beyond is the number of events after the witness in which the goroutines are looked for that are
// to stop, and what operations are begun in it.
const beyond = 1 << 18

// goState is what the second pass knows of a goroutine.
type goState struct {
	seq   int64                 // its events so far
	last  int64                 // the number of its last one in the witness
	pair  bool                  // which is an access of the race
	stops bool                  // it has its stop
	since map[trace.Site]uint64 // executions since the last step
	total map[trace.Site]uint64 // executions in all
	more  bool                  // within an access of several events
	reads trace.Site            // its event before was a Read there
	skip  uint64                // of the execution under way
	nth   uint64
	begun trace.Site // an execution whose step is there before its own event
	at    int        // the step of the execution under way, -1: none
	open  []int64    // brackets

	gate    passage // the last gate that it passed
	context passage // and the one before its last operation of synchronisation
}

// newSchedule makes the schedule of a witness. open opens the trace anew.
func newSchedule(w Witness, meta *trace.Meta, open func() (trace.Source, io.Closer, error)) (*schedule, error) {
	n := len(w.Order)
	if n < 2 {
		return nil, errors.New("the witness has no accesses")
	}
	k := &walker{w: w, meta: meta, place: map[int64]float64{}, pair: [2]int64{w.Order[n-2], w.Order[n-1]}, classes: make([]class, len(meta.Sites)),
		words: map[trace.Addr]*sharing{}, objects: map[trace.Addr]*sharing{}, brackets: map[int64]*bracket{}, kids: map[trace.GoID][]trace.GoID{}, begun: map[trace.GoID]trace.Site{}, touches: map[trace.Site]bool{},
		gs: map[trace.GoID]*goState{}}
	if w.Recorded {
		k.w.From = max(k.pair[0], k.pair[1])
		slices.Sort(k.pair[:])
	}
	for _, p := range w.Paths {
		k.last = max(k.last, p.Before)
	}
	for i, e := range k.w.Order {
		if !w.Recorded || i == n-1 {
			k.place[e] = 1e15 + float64(i)
		}
		k.last = max(k.last, e)
	}
	if err := k.along(open, k.look); err != nil {
		return nil, err
	}
	for _, s := range k.gs {
		s.open, s.seq = nil, 0
	}
	if err := k.along(open, k.step); err != nil {
		return nil, err
	}
	if k.err != nil {
		return nil, k.err
	}
	return k.schedule()
}

// along calls step for the events of the execution: where a goroutine leaves its recorded path, for
// those of the other one.
func (k *walker) along(open func() (trace.Source, io.Closer, error), step func(int64, *trace.Event)) error {
	first := int64(-1) // the number of the first step of a path
	leaves := map[trace.GoID]int64{}
	at, last := map[int64][]func(){}, []func(){}
	for _, p := range k.w.Paths {
		n := first
		steps := func() {
			for i := range p.Steps {
				step(n-int64(i), &p.Steps[i])
			}
		}
		first -= int64(len(p.Steps))
		if p.Ended {
			last = append(last, steps)
			continue
		}
		leaves[p.G] = p.Before
		at[p.Before] = append(at[p.Before], steps)
	}
	err := each(open, k.last+beyond, func(i int64, e *trace.Event) {
		for _, steps := range at[i] {
			steps()
		}
		if before, ok := leaves[e.G]; !ok || i < before {
			step(i, e)
		}
	})
	for _, steps := range last {
		steps()
	}
	return err
}

// each reads the events up to the last one, or the end of the trace.
func each(open func() (trace.Source, io.Closer, error), last int64, step func(int64, *trace.Event)) error {
	src, c, err := open()
	if err != nil {
		return err
	}
	defer c.Close()
	var e trace.Event
	for i := int64(0); i <= last; i++ {
		if err := src.Next(&e); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		step(i, &e)
	}
	return nil
}

// at is the place of an event in the witness; ok is false if it is not in it.
func (k *walker) at(i int64) (key float64, ok bool) {
	if i >= 0 && i < k.w.From {
		return float64(i), true
	}
	key, ok = k.place[i]
	return key, ok
}

func (k *walker) state(g trace.GoID) *goState {
	s := k.gs[g]
	if s == nil {
		s = &goState{last: -1, since: map[trace.Site]uint64{}, total: map[trace.Site]uint64{}, at: -1}
		k.gs[g] = s
	}
	return s
}
