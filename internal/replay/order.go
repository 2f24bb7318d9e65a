package replay

import (
	"errors"
	"slices"
	"sort"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// schedule orders the steps and says which must come before which.
func (k *walker) schedule() (*schedule, error) {
	k.steps = slices.DeleteFunc(k.steps, func(st step) bool { return st.flags&dropped != 0 })
	k.monotonic()
	sort.SliceStable(k.steps, func(i, j int) bool { return k.steps[i].key < k.steps[j].key })
	explain(k.steps, k.pair)
	pair := [2]int{-1, -1}
	for i := range k.steps {
		for n, p := range k.pair {
			if k.steps[i].index == p {
				pair[n] = i
			}
		}
	}
	if pair[0] < 0 || pair[1] < 0 {
		return nil, errors.New("an access of the race was made by code without gates")
	}
	steps := k.steps[:max(pair[0], pair[1])+1]
	if !k.w.Recorded || (steps[pair[0]].flags|steps[pair[1]].flags)&outside == 0 {
		return k.build(steps, pair[0], k.w.Recorded), nil
	}
	first := min(pair[0], pair[1])
	s := k.build(steps, first, true)
	s.other = k.build(gather(steps, first), 0, false)
	return s, nil
}

// build makes a schedule of ordered steps, which end in an access of the race. The other one is
// step first, or the one before the last if the two are next to each other.
func (k *walker) build(steps []step, first int, apart bool) *schedule {
	s := &schedule{marks: make([]byte, len(k.classes)), apart: apart, pkg: k.pkg, steps: meet(slices.Clone(steps)), stops: slices.Clone(k.stops)}
	n := len(s.steps)
	a, b := n-2, n-1
	if apart {
		a = first
	}
	s.steps[a].pair, s.steps[b].pair = b, a
	for _, i := range []int{a, b} {
		s.steps[i].flags = held | s.steps[i].flags&outside
	}
	order(s.steps, a)
	for _, list := range [][]step{s.steps, s.stops} {
		for i := range list {
			if list[i].place == nil {
				s.marks[list[i].site] = 1
			}
		}
	}
	for site, c := range k.classes { // where one of the pair stops
		if c >= atomicClass || k.touches[trace.Site(site)] {
			s.marks[site] = 1
		}
	}
	for _, site := range k.begun {
		s.marks[site] |= markGo
	}
	k.place2gates(s)
	return s
}

// monotonic makes the keys of a goroutine's steps grow: a call begins before what is called back
// from it, and ends after it.
func (k *walker) monotonic() {
	most, least := map[int]float64{}, map[int]float64{}
	for i := range k.steps {
		st := &k.steps[i]
		if st.flags&mark != 0 {
			st.key = max(st.key, most[st.gate])
		}
		most[st.gate] = max(most[st.gate], st.key)
	}
	for i := len(k.steps) - 1; i >= 0; i-- {
		st := &k.steps[i]
		if l, ok := least[st.gate]; ok {
			st.key = min(st.key, l)
		}
		least[st.gate] = st.key
	}
}

// explain delays writes that a read with another value comes after: the trace has no place for the
// read where its value stands (format.FlagUnexplained), because what the writer did is known only
// up to its next synchronisation. There the writer's accesses may as well have come later, after
// all reads that do not see them.
func explain(steps []step, pair [2]int64) {
	odd := map[trace.Addr]bool{}
	for i := range steps {
		if r := &steps[i]; r.kind == format.Read && r.eflag&format.FlagUnexplained != 0 {
			odd[r.obj] = true
		}
	}
	for i := range steps {
		if r := &steps[i]; r.kind == format.Read && odd[r.obj] && r.eflag&format.FlagNoValue == 0 && !slices.Contains(pair[:], r.index) {
			if w := lastWrite(steps, i); w >= 0 && steps[w].val != r.val {
				delay(steps[w : i+1])
			}
		}
	}
}

// lastWrite is the step that writes last what step i reads; -1 if that is one of its own goroutine.
func lastWrite(steps []step, i int) int {
	for w := i - 1; w >= 0; w-- {
		if s := &steps[w]; s.kind == format.Write && s.obj == steps[i].obj {
			if s.gate == steps[i].gate {
				return -1
			}
			return w
		}
	}
	return -1
}

// delay moves the steps of the first one's goroutine behind the others, if none of them
// synchronises.
func delay(steps []step) {
	g := steps[0].gate
	var first, late []step
	for _, s := range steps {
		switch {
		case s.gate != g:
			first = append(first, s)
		case s.kind != format.Read && s.kind != format.Write:
			return
		default:
			late = append(late, s)
		}
	}
	copy(steps, append(first, late...))
}

// meet puts the receive of a send that did not block before the send: the receiver was waiting.
func meet(steps []step) []step {
	for i := 0; i < len(steps); i++ {
		st := &steps[i]
		if st.kind != format.ChanSend || st.aux != 0 || st.eflag&format.FlagNonBlocking == 0 {
			continue
		}
		for j := i + 1; j < len(steps); j++ {
			if r := steps[j]; r.kind == format.ChanRecv && r.obj == st.obj && r.gate != st.gate {
				r.flags |= parks
				copy(steps[i+1:j+1], steps[i:j])
				steps[i] = r
				i++
				break
			}
		}
	}
	return steps
}

// order links each step with the one before it, and with those it conflicts with.
func order(steps []step, first int) {
	type object struct {
		write int
		reads []int
	}
	objs := map[trace.Addr]*object{}
	for i := range steps {
		st := &steps[i]
		if i > 0 {
			st.preds = append(st.preds, pred{i - 1, strict})
		}
		if st.kind == format.OpaqueBegin || st.kind == format.OpaqueEnd {
			continue
		}
		key := st.obj
		if st.kind.IsAccess() {
			key &^= 7
		}
		o := objs[key]
		if o == nil {
			o = &object{write: -1}
			objs[key] = o
		}
		if st.kind == format.Read || st.kind == format.AtomicRead {
			if o.write >= 0 {
				st.preds = append(st.preds, pred{o.write, needed})
			}
			o.reads = append(o.reads, i)
			continue
		}
		for _, r := range append(o.reads, o.write) {
			if r >= 0 && steps[r].gate != st.gate {
				st.preds = append(st.preds, pred{r, needed})
			}
		}
		o.write, o.reads = i, nil
	}
	n := len(steps)
	steps[n-1].preds = append(steps[n-1].preds, pred{first, together})
}

// place2gates gives every goroutine of the schedule its gate, with those that it descends from.
func (k *walker) place2gates(s *schedule) {
	index := map[trace.GoID]int{}
	parent := map[trace.GoID]trace.GoID{}
	ordinal := map[trace.GoID]int{}
	type by struct {
		parent trace.GoID
		key    uint64
	}
	many := map[by]int{}
	for p, kids := range k.kids {
		for _, c := range kids {
			b := by{p, k.startedBy(c)}
			parent[c], ordinal[c] = p, many[b]
			many[b]++
		}
	}
	var add func(g trace.GoID) int
	add = func(g trace.GoID) int {
		if i, ok := index[g]; ok {
			return i
		}
		x := gate{g: g, key: k.startedBy(g), number: k.numberOf(g)}
		p, known := parent[g]
		switch {
		case g == 1:
			x.parent, x.ordinal = ^uint64(0), 0
		case !known || p == 0 || k.fired(g):
			if int(g) < len(k.meta.Goroutines) {
				x.ordinal = nameHash(k.meta.Goroutines[g].Func)
			}
		default:
			x.parent, x.ordinal = uint64(add(p))+1, uint64(ordinal[g])
		}
		index[g] = len(s.gates)
		s.gates = append(s.gates, x)
		return index[g]
	}
	add(1) // the first gate is the main goroutine's
	for _, list := range [][]step{s.steps, s.stops} {
		for i := range list {
			list[i].gate = add(trace.GoID(list[i].gate))
		}
	}
}

// fired reports whether the firing of a timer has started g.
func (k *walker) fired(g trace.GoID) bool {
	return int(g) < len(k.meta.Goroutines) && k.meta.Goroutines[g].Parent == 0
}
