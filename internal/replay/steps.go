package replay

import (
	"errors"
	"io"
	"slices"
	"sort"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// Witness is an execution that ends in a race, in event numbers of a trace: the events before From in their recorded order, then Order, whose
// last two are the accesses.
type Witness struct {
	From  int64
	Order []int64
	// Path, if it is not nil, is how a goroutine leaves what was recorded of it: −1, −2, … in Order are its steps.
	Path *Path
	// Recorded: the recorded run itself is the execution; Order has the accesses alone, which need not be next to each other.
	Recorded bool
}

// Path is what a goroutine, and those that it starts, do in place of an event and what follows it in the goroutine.
type Path struct {
	G      trace.GoID
	Before int64
	Steps  []trace.Event
}

// schedule is what the gates are told.
type schedule struct {
	gates []gate
	steps []step // in the order of the witness; the last two are the pair
	stops []step // at which goroutines wait that do nothing more in the witness (G6)
	marks []byte // by site
	apart bool   // the accesses of the pair need not be next to each other
	pkg   string // package of the first test function that ran
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
}

type pred struct {
	step  int
	level uint64
}

// class says which events of a site there is one of in each execution of its instruction.
type class uint8

const (
	noClass class = iota
	readClass
	writeClass
	lenClass
	atomicClass
	lockClass
	goClass
	chanClass
	onceClass
	wgWaitClass
	wgAddClass
	condClass
	opaqueClass
)

func classOf(k format.Kind) class {
	switch k {
	case format.Read:
		return readClass
	case format.Write:
		return writeClass
	case format.ChanLen:
		return lenClass
	case format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		return atomicClass
	case format.Lock, format.Unlock, format.TryFail:
		return lockClass
	case format.Go:
		return goClass
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.SelectDefault:
		return chanClass
	case format.OnceBegin, format.OncePass:
		return onceClass
	case format.WGWait:
		return wgWaitClass
	case format.WGAdd:
		return wgAddClass
	case format.CondWait, format.CondSignal, format.CondBroadcast:
		return condClass
	case format.OpaqueBegin:
		return opaqueClass
	}
	return noClass
}

// hidden reports whether an event has no gate of its own: code that was not instrumented has executed it.
func hidden(e *trace.Event) bool {
	return e.Site == 0 || e.Flags&format.FlagOpaque != 0
}

// acts reports whether a hidden event is one that others can notice.
func acts(k format.Kind) bool {
	switch k {
	case format.Acquire, format.Release, format.ReleaseMerge:
		return true
	}
	return k.IsAccess() || k >= format.Lock && k <= format.SelectDefault && k != format.SelectCase
}

// sharing says who uses a word of memory, or an object.
type sharing struct {
	g              trace.GoID
	several, write bool
}

// bracket is a call of code that was not instrumented.
type bracket struct {
	site     trace.Site
	acts     []act
	included bool    // one of the hidden ones is in the witness
	pair     int64   // an access of the race that is hidden in it, -1: none
	cut      bool    // an access of the race is within it
	from, to float64 // the places of the hidden ones in the order
}

// act is an operation within a bracket that others may notice.
type act struct {
	obj        trace.Addr
	hidden, in bool
}

// walker goes over the events of a trace up to the last one of the witness. The first pass finds out what
// there is, the second makes the steps.
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
	touches  map[trace.Site]bool // sites that access shared memory
	pkg      string

	gs    map[trace.GoID]*goState
	steps []step
	stops []step
}

// beyond is the number of events after the witness in which the goroutines are looked for that are to stop.
const beyond = 1 << 18

// goState is what the second pass knows of a goroutine.
type goState struct {
	seq   int64                 // its events so far
	last  int64                 // the number of its last one in the witness
	pair  bool                  // which is an access of the race
	stops bool                  // it has its stop
	since map[trace.Site]uint64 // executions since the last step
	more  bool                  // within an access of several events
	skip  uint64                // of the execution under way
	begun trace.Site            // an execution whose step is there before its own event
	at    int                   // the step of the execution under way, -1: none
	open  []int64               // brackets
}

// newSchedule makes the schedule of a witness. open opens the trace anew.
func newSchedule(w Witness, meta *trace.Meta, open func() (trace.Source, io.Closer, error)) (*schedule, error) {
	n := len(w.Order)
	if n < 2 {
		return nil, errors.New("the witness has no accesses")
	}
	k := &walker{w: w, meta: meta, place: map[int64]float64{}, pair: [2]int64{w.Order[n-2], w.Order[n-1]}, classes: make([]class, len(meta.Sites)),
		words: map[trace.Addr]*sharing{}, objects: map[trace.Addr]*sharing{}, brackets: map[int64]*bracket{}, kids: map[trace.GoID][]trace.GoID{}, touches: map[trace.Site]bool{},
		gs: map[trace.GoID]*goState{}}
	if w.Recorded {
		k.w.From = max(k.pair[0], k.pair[1])
		slices.Sort(k.pair[:])
	}
	if w.Path != nil {
		k.last = w.Path.Before
	}
	for i, e := range k.w.Order {
		if !w.Recorded || i == n-1 {
			k.place[e] = 1e15 + float64(i)
		}
		k.last = max(k.last, e)
	}
	if err := each(open, k.last, k.along(k.look)); err != nil {
		return nil, err
	}
	for _, s := range k.gs {
		s.open, s.seq = nil, 0
	}
	if err := each(open, k.last+beyond, k.along(k.step)); err != nil {
		return nil, err
	}
	return k.schedule()
}

// along calls step for the events of the execution: where a goroutine leaves its recorded path, for those of the other one.
func (k *walker) along(step func(int64, *trace.Event)) func(int64, *trace.Event) {
	p := k.w.Path
	if p == nil {
		return step
	}
	return func(i int64, e *trace.Event) {
		if i == p.Before {
			for n := range p.Steps {
				step(int64(-1-n), &p.Steps[n])
			}
		}
		if e.G != p.G || i < p.Before {
			step(i, e)
		}
	}
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
		s = &goState{last: -1, since: map[trace.Site]uint64{}, at: -1}
		k.gs[g] = s
	}
	return s
}

// look is the first pass.
func (k *walker) look(i int64, e *trace.Event) {
	switch {
	case e.Kind == format.Go:
		k.kids[e.G] = append(k.kids[e.G], trace.GoID(e.Obj))
	case e.Kind == format.Enter && k.pkg == "":
		k.findTest(e)
	}
	s := k.state(e.G)
	s.seq++
	if _, ok := k.at(i); ok {
		s.last, s.pair = s.seq, i == k.pair[0] || i == k.pair[1]
	}
	k.bracket(s, i, e)
	k.inside(s, i, e)
	if hidden(e) {
		return
	}
	if int(e.Site) < len(k.classes) {
		k.classes[e.Site] = max(k.classes[e.Site], classOf(e.Kind))
	}
	if e.Kind.IsAccess() {
		use(k.words, e.Obj&^7, e)
	}
}

// findTest notes the package of the first test function.
func (k *walker) findTest(e *trace.Event) {
	if int(e.Site) >= len(k.meta.Sites) {
		return
	}
	info := &k.meta.Sites[e.Site]
	if f := info.File; f >= 0 && int(f) < len(k.meta.Files) && isTest(k.meta.Files[f].Name) {
		k.pkg = k.meta.Funcs[info.Func].Pkg
	}
}

func use(m map[trace.Addr]*sharing, obj trace.Addr, e *trace.Event) {
	s := m[obj]
	if s == nil {
		s = &sharing{g: e.G}
		m[obj] = s
	}
	s.several = s.several || s.g != e.G
	s.write = s.write || e.Kind.IsWrite() || !e.Kind.IsAccess()
}

// bracket keeps the calls under way of code that was not instrumented, and returns the one that ends.
func (k *walker) bracket(s *goState, i int64, e *trace.Event) *bracket {
	switch e.Kind {
	case format.OpaqueBegin:
		if k.brackets[i] == nil {
			k.brackets[i] = &bracket{site: e.Site, pair: -1}
		}
		s.open = append(s.open, i)
	case format.OpaqueEnd:
		for n := len(s.open) - 1; n >= 0; n-- {
			if b := k.brackets[s.open[n]]; b.site == e.Site {
				s.open = s.open[:n]
				return b
			}
		}
	}
	return nil
}

// inside notes an event with the calls that it is part of, the innermost last.
func (k *walker) inside(s *goState, i int64, e *trace.Event) {
	hides := hidden(e)
	if hides && acts(e.Kind) || !hides && acts(e.Kind) && !(e.Kind == format.Read || e.Kind == format.Write) {
		use(k.objects, e.Obj, e)
		key, in := k.at(i)
		for n, begin := range s.open {
			b := k.brackets[begin]
			b.acts = append(b.acts, act{e.Obj, hides, in})
			if hides && in && n == len(s.open)-1 {
				if !b.included {
					b.from = key
				}
				b.included, b.from, b.to = true, min(b.from, key), max(b.to, key)
			}
		}
	}
	if i != k.pair[0] && i != k.pair[1] {
		return
	}
	for n, begin := range s.open {
		b := k.brackets[begin]
		b.cut = true
		if hides && n == len(s.open)-1 {
			b.pair = i
		}
	}
}

// relevant reports whether a call does in the witness what other goroutines can notice.
func (k *walker) relevant(b *bracket) bool {
	return b.included && slices.ContainsFunc(b.acts, func(a act) bool { return a.hidden && a.in && k.objects[a.obj].several })
}

// whole reports whether all that a call does is in the witness.
func (k *walker) whole(b *bracket) bool {
	return !b.cut && !slices.ContainsFunc(b.acts, func(a act) bool { return !a.in && k.objects[a.obj].several })
}

// step is the second pass.
func (k *walker) step(i int64, e *trace.Event) {
	s := k.state(e.G)
	s.seq++
	if b := k.bracket(s, i, e); b != nil {
		k.ends(s, b, i, e)
		return
	}
	if hidden(e) || classOf(e.Kind) == noClass && e.Kind != format.OnceEnd {
		return
	}
	if e.Kind.IsAccess() && k.shared(e) {
		k.touches[e.Site] = true
	}
	if s.begun != 0 && s.begun != e.Site {
		s.begun = 0
	}
	switch cl := k.classes[e.Site]; {
	case e.Kind == format.OnceEnd || cl == condClass && e.Kind == format.Lock:
		k.mark(s, i, e)
	case cl == classOf(e.Kind):
		k.primary(s, i, e)
	case e.Kind.IsAccess() && cl != wgAddClass:
		k.ahead(s, i, e)
	}
	s.more = e.Kind.IsAccess() && e.Flags&format.FlagMore != 0
}

// primary is an event that an execution of its instruction has once, or the further words of an access.
func (k *walker) primary(s *goState, i int64, e *trace.Event) {
	if !s.more || !e.Kind.IsAccess() {
		if s.begun == e.Site {
			s.begun = 0 // its step is there
		} else {
			s.skip, s.at = s.since[e.Site], -1
			s.since[e.Site]++
		}
	}
	k.include(s, i, e)
}

// ahead is an access that comes before the event by which executions are counted.
func (k *walker) ahead(s *goState, i int64, e *trace.Event) {
	if s.begun == 0 && (k.wanted(i, e) || s.seq > s.last) {
		s.skip, s.at = s.since[e.Site], -1
		s.begun = e.Site
	}
	if s.begun == e.Site {
		k.include(s, i, e)
	}
}

// wanted reports whether an event of the witness makes a step.
func (k *walker) wanted(i int64, e *trace.Event) bool {
	if e.Kind == format.OpaqueBegin {
		return k.relevant(k.brackets[i]) || k.brackets[i].pair >= 0
	}
	if _, ok := k.at(i); !ok {
		return false
	}
	switch {
	case i == k.pair[0] || i == k.pair[1]:
		return true
	case e.Kind.IsAccess() && !e.Kind.IsAtomic():
		return k.shared(e)
	}
	return true
}

// shared reports whether several goroutines access a word of memory and one writes it.
func (k *walker) shared(e *trace.Event) bool {
	w := k.words[e.Obj&^7]
	return w != nil && w.several && w.write
}

// stop makes a step of the first execution after the last one of a goroutine that could disturb the witness (G6).
func (k *walker) stop(s *goState, i int64, e *trace.Event) {
	if s.stops || s.at >= 0 || s.seq <= s.last || s.pair {
		return
	}
	if e.Kind == format.Read || e.Kind == format.Write {
		if !k.shared(e) {
			return
		}
	} else if o := k.objects[e.Obj]; o == nil || !o.several {
		return
	}
	s.stops = true
	k.stops = append(k.stops, step{gate: int(e.G), site: e.Site, flags: stops, skip: s.skip, pair: -1, index: i, kind: e.Kind, obj: e.Obj})
}

// include makes a step of the execution under way, unless it has one.
func (k *walker) include(s *goState, i int64, e *trace.Event) {
	if !k.wanted(i, e) {
		k.stop(s, i, e)
		return
	}
	if s.at >= 0 {
		st := &k.steps[s.at]
		switch {
		case i == k.pair[0] || i == k.pair[1]:
			st.key, _ = k.at(i)
			st.index, st.kind, st.eflag, st.obj, st.val = i, e.Kind, e.Flags, e.Obj, e.Val
		case st.kind.IsAccess() && !e.Kind.IsAccess() && st.index != k.pair[0] && st.index != k.pair[1]: // the operation that the access belongs to
			st.kind, st.eflag, st.obj, st.aux, st.flags = e.Kind, e.Flags, e.Obj, e.Aux, flagsOf(e, k.classes[e.Site])
		}
		return
	}
	key, _ := k.at(i)
	if b := k.brackets[i]; b != nil {
		if i >= k.w.From {
			key = b.from - 0.5
		}
		if b.pair >= 0 {
			key, _ = k.at(b.pair)
			i = b.pair
		}
	}
	k.add(s, i, e, key, s.skip, flagsOf(e, k.classes[e.Site]))
}

// flagsOf are the flags of a step that an event makes at a site of a class.
func flagsOf(e *trace.Event, c class) uint8 {
	switch {
	case e.Kind == format.OpaqueBegin, e.Kind == format.OnceBegin:
		return early
	case e.Kind == format.CondWait, e.Kind == format.ChanSend && e.Aux == 0:
		return parks
	case e.Kind.IsAccess() && c == chanClass: // of the channel itself, before a send
		return parks
	}
	return 0
}

func (k *walker) add(s *goState, i int64, e *trace.Event, key float64, skip uint64, flags uint8) {
	s.at = len(k.steps)
	clear(s.since)
	k.steps = append(k.steps, step{gate: int(e.G), site: e.Site, flags: flags, skip: skip, pair: -1,
		index: i, key: key, kind: e.Kind, eflag: e.Flags, obj: e.Obj, val: e.Val, aux: e.Aux})
}

// mark says that an operation that begins with a step is done.
func (k *walker) mark(s *goState, i int64, e *trace.Event) {
	if key, ok := k.at(i); ok {
		k.add(s, i, e, key, 0, mark)
	}
}

// ends says so of a call of code that was not instrumented, if all that it did belongs to the witness.
func (k *walker) ends(s *goState, b *bracket, i int64, e *trace.Event) {
	if !k.relevant(b) || !k.whole(b) {
		return
	}
	key := b.to + 0.5
	if i < k.w.From {
		key = float64(i)
	}
	k.add(s, i, e, key, 0, mark)
}

// schedule orders the steps and says which must come before which.
func (k *walker) schedule() (*schedule, error) {
	s := &schedule{marks: make([]byte, len(k.classes)), apart: k.w.Recorded, pkg: k.pkg}
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
	s.steps = meet(k.steps[:max(pair[0], pair[1])+1])
	n := len(s.steps)
	a, b := n-2, n-1
	if k.w.Recorded {
		a = pair[0]
	}
	s.steps[a].pair, s.steps[b].pair = b, a
	s.steps[a].flags, s.steps[b].flags = held, held
	order(s.steps, a)
	s.stops = k.stops
	for _, list := range [][]step{s.steps, s.stops} {
		for i := range list {
			s.marks[list[i].site] = 1
		}
	}
	for site, c := range k.classes { // where one of the pair stops
		if c >= atomicClass || k.touches[trace.Site(site)] {
			s.marks[site] = 1
		}
	}
	k.place2gates(s)
	return s, nil
}

// monotonic makes the keys of a goroutine's steps grow: a call begins before what is called back from it, and ends after it.
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

// explain delays writes that a read with another value comes after: the trace has no place for the read where its value stands
// (format.FlagUnexplained), because what the writer did is known only up to its next synchronisation. There the writer's accesses may as well
// have come later, after all reads that do not see them.
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

// delay moves the steps of the first one's goroutine behind the others, if none of them synchronises.
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
	for p, kids := range k.kids {
		for n, c := range kids {
			parent[c], ordinal[c] = p, n
		}
	}
	var add func(g trace.GoID) int
	add = func(g trace.GoID) int {
		if i, ok := index[g]; ok {
			return i
		}
		x := gate{g: g}
		p, known := parent[g]
		switch {
		case g == 1:
			x.parent, x.ordinal = ^uint64(0), 0
		case !known || p == 0:
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
