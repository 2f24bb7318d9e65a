package outsidetest

import (
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Run is an execution of a program as a trace. The site of an event is that of its instruction.
type Run struct {
	*Program
	Schedule []int // goroutines; ^g: the hook of the next access of g
	Events   []trace.Event
	Flows    []flow.Flow
}

// Walk is which parts the flows of a walk have (package walk).
type Walk struct {
	Guards bool // a branch that depends on reads has a guard instead of needs
	Stored bool // outside code needs all reads whose values were stored before
}

// Where objects of each kind are.
const (
	memoryAt = 0x1000
	locksAt  = 0x10000
	groupsAt = 0x20000
	oncesAt  = 0x30000
	chansAt  = 0x40000
)

// Record executes the program under a random schedule. A goroutine often makes several steps in a
// row. The hook of an access of outside code runs before the access, and other goroutines may run
// in between.
func (p *Program) Record(r *rand.Rand, walk Walk) *Run {
	m := newMachine(p)
	st := m.start()
	rec := newRecorder(p, walk)
	stay, g := []float64{0.3, 0.7, 0.9}[r.IntN(3)], 0
	for idle := 0; idle < 40; {
		if r.Float64() >= stay {
			g = r.IntN(len(p.Code))
		}
		if r.IntN(4) == 0 {
			rec.hook(m, st, g)
		}
		if r.IntN(4) == 0 {
			g = r.IntN(len(p.Code))
		}
		if !rec.step(m, st, g) {
			idle, g = idle+1, r.IntN(len(p.Code))
			continue
		}
		idle = 0
	}
	return &rec.Run
}

// Replay executes the program under a schedule, without the steps that are not enabled.
func (p *Program) Replay(schedule []int, walk Walk) *Run {
	m := newMachine(p)
	st := m.start()
	rec := newRecorder(p, walk)
	for _, g := range schedule {
		if g < 0 {
			rec.hook(m, st, ^g)
		} else {
			rec.step(m, st, g)
		}
	}
	return &rec.Run
}

// taint is the reads that a register was computed from, with the term, or without one if it is
// unknown.
type taint struct {
	reads []int64
	term  *expr.Expr
}

// recorder records a run.
type recorder struct {
	Run
	walk  Walk
	noted []bool // by goroutine: the next access has a record
	regs  [][registers]taint
	next  [][]int64 // by goroutine: the needs of its next event
	reads [][]int64 // by goroutine: the reads of inside code,
	kept  [][]int64 // and those that went into memory
	sent  []uint64  // by channel
}

func newRecorder(p *Program, walk Walk) *recorder {
	n := len(p.Code)
	r := &recorder{Run: Run{Program: p}, walk: walk, noted: make([]bool, n), regs: make([][registers]taint, n), next: make([][]int64, n), reads: make([][]int64, n), kept: make([][]int64, n), sent: make([]uint64, len(p.Chans))}
	r.emit(0, trace.Event{Kind: format.Alloc, Flags: format.FlagZero, Obj: memoryAt, Val: 0x1000}, flow.Flow{})
	return r
}

// hook records the next instruction of g, if it is an access of outside code.
func (r *recorder) hook(m *machine, st state, g int) {
	in := m.next(st, g)
	if in == nil || !in.Outside || r.noted[g] || in.Op != Read && in.Op != Write && in.Op != MapSet {
		return
	}
	e := trace.Event{Kind: format.Write, Flags: format.FlagOpaque, Site: r.Site(g, int(st.of(g)[ofPC]))}
	if in.Op == Read {
		e.Kind = format.Read
	}
	r.Schedule = append(r.Schedule, ^g)
	r.access(g, in, e)
	r.noted[g] = true
}

// step executes an instruction of g and records it.
func (r *recorder) step(m *machine, st state, g int) bool {
	in, pc := m.next(st, g), int(st.of(g)[ofPC])
	first := in != nil && len(r.Schedule) == 0
	x, ok := m.step(st, g)
	if !ok {
		return false
	}
	r.Schedule = append(r.Schedule, g)
	if r.noted[g] {
		r.noted[g] = false
		return true
	}
	if first {
		r.begins(0, 0)
	}
	e := trace.Event{Kind: x.kind, Flags: x.flags, Site: r.Site(g, pc), Val: x.val, Aux: x.aux}
	if in.Outside {
		e.Flags |= format.FlagOpaque
	}
	r.note(g, in, e, int(st.of(g)[ofPC]) == pc+1)
	return true
}

// emit appends an event of g.
func (r *recorder) emit(g int, e trace.Event, f flow.Flow) int64 {
	f.Needs = union(f.Needs, r.next[g])
	r.next[g] = nil
	f.Walked = e.Flags&format.FlagOpaque == 0
	e.G = trace.GoID(g + 1)
	r.Events, r.Flows = append(r.Events, e), append(r.Flows, f)
	return int64(len(r.Events) - 1)
}

// begins records the start of goroutine u by g.
func (r *recorder) begins(u, g int) {
	if u > 0 {
		r.emit(u, trace.Event{Kind: format.Start, Obj: trace.Addr(g + 1)}, flow.Flow{})
	}
	if !r.Whole[u] {
		r.emit(u, trace.Event{Kind: format.Enter, Aux: 1}, flow.Flow{})
	}
}

// note records the effect of an instruction as event e. on says that the next one follows it.
func (r *recorder) note(g int, in *Instr, e trace.Event, on bool) {
	switch is, _, _ := in.Op.access(); {
	case is:
		r.access(g, in, e)
	case in.Op.local():
		r.local(g, in, e, on)
	case in.Op == Go:
		e.Obj = trace.Addr(in.Obj + 1)
		r.emit(g, e, flow.Flow{Needs: r.of(g, in.Args)})
		r.begins(in.Obj, g)
	case in.Op >= Send && in.Op <= Poll:
		r.channel(g, in, e)
	default:
		switch {
		case in.Op == Count:
			e.Obj = format.StateGoroutines
		case in.Op == Change || in.Op == Look:
			e.Obj = format.StateFiles
		case in.Op == Add || in.Op == Wait:
			e.Obj = groupsAt + 64*trace.Addr(in.Obj)
		case in.Op == Once || in.Op == OnceEnd:
			e.Obj = oncesAt + 64*trace.Addr(in.Obj)
		case in.Op < Add:
			e.Obj = locksAt + 64*trace.Addr(in.Obj)
		}
		r.emit(g, e, flow.Flow{})
		r.put(g, in, taint{})
	}
}

func (r *recorder) put(g int, in *Instr, t taint) {
	if in.Dst >= 0 {
		r.regs[g][in.Dst] = t
	}
}

// value is the taint of the value that an instruction of inside code stores.
func (r *recorder) value(g int, in *Instr) taint {
	if in.Src < 0 {
		return taint{}
	}
	t := r.regs[g][in.Src]
	t.term = expr.Binary(expr.Xor, expr.Uint64, 0, t.term, expr.Word(uint64(in.K)))
	return t
}

func (t taint) flow() (f flow.Flow) {
	if f.From = t.reads; len(t.reads) > 0 {
		f.Value = t.term
	}
	return f
}

func (r *recorder) access(g int, in *Instr, e trace.Event) {
	e.Obj, e.Size = memoryAt+8*trace.Addr(in.Obj), 8
	n := int64(len(r.Events))
	self := taint{[]int64{n}, expr.NewRead(n, 8, e.Val)}
	if in.Outside {
		if _, atomic, _ := in.Op.access(); !atomic {
			e.Flags, e.Val = e.Flags|format.FlagNoValue, 0
			if in.Narrow {
				e.Size = 1
			}
		}
		r.emit(g, e, flow.Flow{})
		r.put(g, in, taint{})
		return
	}
	switch in.Op {
	case Read, AtomRead:
		r.emit(g, e, flow.Flow{})
		r.put(g, in, self)
		r.reads[g] = append(r.reads[g], n)
	case Write, AtomWrite:
		t := r.value(g, in)
		r.emit(g, e, t.flow())
		r.kept[g] = union(r.kept[g], t.reads)
	case Xor:
		r.emit(g, e, flow.Flow{Value: expr.Binary(expr.Xor, expr.Uint64, 0, self.term, expr.Word(uint64(in.K)))})
		r.put(g, in, self)
		r.reads[g], r.kept[g] = append(r.reads[g], n), union(r.kept[g], self.reads)
	case Swap:
		r.emit(g, e, flow.Flow{})
		r.put(g, in, taint{})
		if e.Kind == format.AtomicRMW {
			r.next[g] = self.reads
		}
	}
}

func (r *recorder) channel(g int, in *Instr, e trace.Event) {
	e.Obj = chansAt + 64*trace.Addr(in.Obj)
	c, t := in.Obj, taint{}
	switch e.Kind {
	case format.SelectDefault:
		r.emit(g, trace.Event{Kind: format.SelectCase, Flags: e.Flags, Site: e.Site, Obj: e.Obj, Aux: e.Aux}, flow.Flow{})
		r.emit(g, trace.Event{Kind: e.Kind, Flags: e.Flags, Site: e.Site}, flow.Flow{})
		r.put(g, in, t)
		return
	case format.ChanSend:
		if r.sent[c]++; r.NoValue[c] {
			e.Flags, e.Val = e.Flags|format.FlagNoValue, r.sent[c]
		}
		if !in.Outside {
			t = r.value(g, in)
		}
		r.emit(g, e, t.flow())
		r.kept[g] = union(r.kept[g], t.reads)
		return
	case format.ChanRecv:
		if r.NoValue[c] {
			e.Flags, e.Val = e.Flags|format.FlagNoValue, r.number(e.Obj)
		}
	}
	n := int64(len(r.Events))
	if t.reads = []int64{n}; e.Kind == format.ChanRecv && !r.NoValue[c] {
		t.term = expr.NewRead(n, 8, e.Val)
	}
	r.emit(g, e, flow.Flow{})
	if in.Outside {
		t = taint{}
	} else {
		r.reads[g] = append(r.reads[g], n)
	}
	r.put(g, in, t)
}

// number is the number of the next receive of a channel.
func (r *recorder) number(c trace.Addr) uint64 {
	n := uint64(1)
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind == format.ChanRecv && e.Obj == c {
			n++
		}
	}
	return n
}

// of is the reads behind arguments.
func (r *recorder) of(g int, args [][2]int) (reads []int64) {
	for _, a := range args {
		reads = union(reads, r.regs[g][a[1]].reads)
	}
	return reads
}

func (r *recorder) local(g int, in *Instr, e trace.Event, on bool) {
	regs := &r.regs[g]
	e.Kind = map[Op]format.Kind{If: format.Block, Call: format.OpaqueBegin, Return: format.OpaqueEnd, Enter: format.Enter, Leave: format.Exit, Stop: format.Exit}[in.Op]
	if in.Op != Stop && in.Op != If {
		e.Flags = 0
	}
	f := flow.Flow{Needs: r.of(g, in.Args)}
	switch in.Op {
	case Set:
		r.put(g, in, r.value(g, in))
		return
	case If:
		if in.Outside {
			return
		}
		f = r.branch(regs[in.Src], in.K, on)
	case Call:
		f.Needs = union(f.Needs, r.left(g))
	case Enter, Leave:
		if e.Aux = 2; r.Whole[g] {
			e.Aux = 1
		}
		if in.Op == Leave {
			f.Needs = union(f.Needs, r.left(g))
		}
	case Stop:
		e.Flags, e.Aux, f.Needs = format.FlagPanic, 1, r.reads[g]
	case Nop, Jump:
		return
	}
	r.emit(g, e, f)
	switch in.Op {
	case Call, Return, Stop:
		*regs = r.after(regs, in)
	case Enter, Leave:
		for k := 2 * bank; k < registers; k++ {
			regs[k] = taint{}
		}
	}
}

// after is the registers after a call or a return. Results of outside code have no taint.
func (r *recorder) after(regs *[registers]taint, in *Instr) (out [registers]taint) {
	if in.Op == Stop {
		return out
	}
	copy(out[:bank], regs[:bank])
	for _, a := range in.Args {
		out[a[0]] = taint{}
	}
	return out
}

// branch is the flow of a branch on t == k.
func (r *recorder) branch(t taint, k uint8, is bool) (f flow.Flow) {
	if !r.walk.Guards || t.term == nil || len(t.reads) == 0 {
		f.Needs = t.reads
		return f
	}
	want := uint64(0)
	if is {
		want = 1
	}
	f.Guards = []flow.Guard{{Term: expr.Binary(expr.Eql, expr.Uint64, 0, t.term, expr.Word(uint64(k))), Want: want}}
	return f
}

// left is the reads whose values outside code may find in memory.
func (r *recorder) left(g int) []int64 {
	if r.walk.Stored {
		return r.kept[g]
	}
	return nil
}

// union is the union of two sets of reads.
func union(a, b []int64) []int64 {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}
