package outsidetest

import (
	"encoding/binary"
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// state is a state of an execution. Equal states have equal futures.
type state []byte

// The layout of a goroutine in a state.
const (
	ofPC     = 0
	ofStatus = 1
	ofRegs   = 2
	ofRecent = ofRegs + registers // accesses since the last release, a bit for each instruction
	ofAll    = ofRecent + 8
)

// The status of a goroutine.
const (
	unborn = iota
	running
	sending // on a channel without a buffer
	ended
)

// The states of a Once.
const (
	fresh = iota
	begun
	done
)

const held = 0xff // a lock, for writing

// A channel in a state: the number of elements, two elements, the goroutine that sends.
const (
	chanLen    = 0
	chanFirst  = 1
	chanSender = 3
	chanSize   = 4
)

// layout is the offsets in a state.
type layout struct{ vars, locks, groups, onces, chans, file, size int }

func (p *Program) layout() (l layout) {
	l.vars = len(p.Code) * ofAll
	l.locks = l.vars + p.Vars
	l.groups = l.locks + p.Locks
	l.onces = l.groups + p.Groups
	l.chans = l.onces + p.Onces
	l.file = l.chans + len(p.Chans)*chanSize
	l.size = l.file + 1
	return l
}

// machine executes a program.
type machine struct {
	*Program
	layout
}

func newMachine(p *Program) *machine { return &machine{p, p.layout()} }

func (m *machine) start() state {
	st := make(state, m.size)
	st[ofStatus] = running
	return st
}

func (st state) of(g int) []byte { return st[g*ofAll : (g+1)*ofAll] }

func (st state) recent(g int) uint64 { return binary.LittleEndian.Uint64(st.of(g)[ofRecent:]) }

// released removes the accesses of g so far: they are ordered before the next acquire.
func (st state) released(g int) { clear(st.of(g)[ofRecent:]) }

// next is the next instruction of g; nil if it has none or is blocked.
func (m *machine) next(st state, g int) *Instr {
	if t := st.of(g); t[ofStatus] == running {
		return &m.Code[g][t[ofPC]]
	}
	return nil
}

// effect is the effect of an operation, as a trace has it.
type effect struct {
	kind  format.Kind
	flags format.Flags
	val   uint64
	aux   uint64
}

// step executes the next instruction of g, if it is enabled.
func (m *machine) step(st state, g int) (x effect, ok bool) {
	in, t := m.next(st, g), st.of(g)
	if in == nil {
		return x, false
	}
	pc := t[ofPC]
	switch is, _, _ := in.Op.access(); {
	case is:
		x, ok = m.memory(st, g, in), true
	case in.Op.local():
		m.local(t, in)
		return x, true
	case in.Op <= OnceEnd:
		x, ok = m.sync(st, g, in)
	case in.Op <= Poll:
		x, ok = m.channel(st, g, in)
	default:
		x, ok = m.other(st, g, in), true
	}
	if ok && t[ofPC] == pc {
		t[ofPC]++
	}
	return x, ok
}

func value(t []byte, in *Instr) byte {
	if in.Src < 0 {
		return in.K
	}
	return t[ofRegs+in.Src] ^ in.K
}

func put(t []byte, in *Instr, v byte) {
	if in.Dst >= 0 {
		t[ofRegs+in.Dst] = v
	}
}

// move copies arguments from a goroutine's registers.
func move(to, from []byte, args [][2]int) {
	for _, a := range args {
		to[ofRegs+a[0]] = from[ofRegs+a[1]]
	}
}

func (m *machine) local(t []byte, in *Instr) {
	t[ofPC]++
	regs := t[ofRegs : ofRegs+registers]
	switch in.Op {
	case Set:
		put(t, in, value(t, in))
	case If:
		if regs[in.Src] != in.K {
			t[ofPC] = byte(in.To)
		}
	case Jump:
		t[ofPC] = byte(in.To)
	case Call:
		clear(regs[bank : 2*bank])
		move(t, t, in.Args)
	case Enter:
		clear(regs[2*bank:])
		move(t, t, in.Args)
	case Return:
		move(t, t, in.Args)
		clear(regs[bank:])
	case Leave:
		move(t, t, in.Args)
		clear(regs[2*bank:])
	case Stop:
		clear(regs)
		t[ofPC] = byte(in.To)
	}
}

func (m *machine) memory(st state, g int, in *Instr) effect {
	t, x := st.of(g), &st[m.vars+in.Obj]
	old, v := *x, value(t, in)
	e := effect{val: uint64(old)}
	switch in.Op {
	case Read:
		e.kind = format.Read
		put(t, in, old)
	case Write, MapSet:
		if in.Op == MapSet {
			v = (2*old + v + 1) % values
		}
		e.kind, e.val, *x = format.Write, uint64(v), v
	case AtomRead:
		e.kind = format.AtomicRead
		put(t, in, old)
	case AtomWrite:
		st.released(g)
		e.kind, e.val, *x = format.AtomicWrite, uint64(v), v
	case Xor:
		st.released(g)
		*x = old ^ in.K
		e.kind, e.aux = format.AtomicRMW, uint64(*x)
		put(t, in, old)
	case Swap:
		if old != in.K {
			put(t, in, 0)
			return effect{kind: format.AtomicRead, flags: format.FlagTry, val: uint64(old)}
		}
		st.released(g)
		*x = old ^ 1
		e.kind, e.aux = format.AtomicRMW, uint64(*x)
		put(t, in, 1)
	}
	if _, atomic, _ := in.Op.access(); !atomic {
		r := t[ofRecent:]
		binary.LittleEndian.PutUint64(r, binary.LittleEndian.Uint64(r)|1<<t[ofPC])
	}
	return e
}

func (m *machine) sync(st state, g int, in *Instr) (effect, bool) {
	switch in.Op {
	case Add, Wait:
		return m.group(st, g, in)
	case Once, OnceEnd:
		return m.once(st, g, in)
	}
	t, l := st.of(g), &st[m.locks+in.Obj]
	switch in.Op {
	case Lock:
		if *l != 0 {
			return effect{}, false
		}
		*l = held
		return effect{kind: format.Lock}, true
	case TryLock:
		if *l != 0 {
			put(t, in, 0)
			return effect{kind: format.TryFail}, true
		}
		*l = held
		put(t, in, 1)
		return effect{kind: format.Lock, flags: format.FlagTry}, true
	case RLock:
		if *l == held {
			return effect{}, false
		}
		*l++
		return effect{kind: format.Lock, flags: format.FlagRead}, true
	case Unlock:
		if *l != held {
			return effect{}, false
		}
		*l = 0
		st.released(g)
		return effect{kind: format.Unlock}, true
	}
	if *l == 0 || *l == held {
		return effect{}, false
	}
	*l--
	st.released(g)
	return effect{kind: format.Unlock, flags: format.FlagRead}, true
}

func (m *machine) group(st state, g int, in *Instr) (effect, bool) {
	c := &st[m.groups+in.Obj]
	switch {
	case in.Op == Wait:
		return effect{kind: format.WGWait}, *c == 0
	case in.Src < 0:
		*c += in.K
		st.released(g)
		return effect{kind: format.WGAdd, val: uint64(in.K), aux: uint64(*c)}, true
	case *c < in.K:
		return effect{}, false
	}
	*c -= in.K
	st.released(g)
	return effect{kind: format.WGAdd, val: -uint64(in.K), aux: uint64(*c)}, true
}

func (m *machine) once(st state, g int, in *Instr) (effect, bool) {
	t, o := st.of(g), &st[m.onces+in.Obj]
	switch {
	case in.Op == OnceEnd:
		*o = done
		st.released(g)
		return effect{kind: format.OnceEnd}, true
	case *o == fresh:
		*o = begun
		return effect{kind: format.OnceBegin}, true
	case *o == done:
		t[ofPC] = byte(in.To)
		return effect{kind: format.OncePass}, true
	}
	return effect{}, false
}

func (m *machine) channel(st state, g int, in *Instr) (effect, bool) {
	t, c := st.of(g), st[m.chans+in.Obj*chanSize:][:chanSize]
	capacity := m.Chans[in.Obj]
	x := effect{aux: uint64(capacity)}
	switch {
	case in.Op == Len:
		n := c[chanLen]
		if capacity == 0 {
			n = 0
		}
		put(t, in, n)
		x.kind, x.val = format.ChanLen, uint64(n)
	case in.Op == Send:
		if int(c[chanLen]) >= max(1, capacity) {
			return x, false
		}
		v := value(t, in)
		c[chanFirst+c[chanLen]] = v
		c[chanLen]++
		st.released(g)
		if capacity == 0 {
			c[chanSender], t[ofStatus] = byte(g), sending
		}
		x.kind, x.val = format.ChanSend, uint64(v)
	case c[chanLen] > 0:
		return m.receive(st, g, in, c, x), true
	case in.Op == Poll:
		put(t, in, values-1)
		x.kind = format.SelectDefault
	default:
		return x, false
	}
	return x, true
}

// receive takes the first element of channel c.
func (m *machine) receive(st state, g int, in *Instr, c []byte, x effect) effect {
	x.kind, x.val = format.ChanRecv, uint64(c[chanFirst])
	put(st.of(g), in, c[chanFirst])
	st.released(g)
	c[chanFirst], c[chanFirst+1] = c[chanFirst+1], 0
	c[chanLen]--
	if x.aux == 0 {
		st.of(int(c[chanSender]))[ofStatus] = running
		c[chanSender] = 0
	}
	if in.Op == Poll {
		x.flags = format.FlagNonBlocking
	}
	return x
}

func (m *machine) other(st state, g int, in *Instr) effect {
	t := st.of(g)
	switch in.Op {
	case Change:
		st[m.file] = value(t, in)
		return effect{kind: format.Observe, flags: format.FlagWrite}
	case Look:
		put(t, in, st[m.file])
		return effect{kind: format.Observe, flags: format.FlagRead}
	case Count:
		n := byte(0)
		for u := range m.Code {
			if s := st.of(u)[ofStatus]; s == running || s == sending {
				n++
			}
		}
		put(t, in, n%values)
		return effect{kind: format.Observe, flags: format.FlagRead}
	case Go:
		u := st.of(in.Obj)
		st.released(g)
		u[ofStatus] = running
		move(u, t, in.Args)
		return effect{kind: format.Go}
	}
	t[ofStatus] = ended
	return effect{kind: format.End}
}

// settle executes instructions of g that others cannot observe.
func (m *machine) settle(st state, g int) {
	for in := m.next(st, g); in != nil && in.Op.local(); in = m.next(st, g) {
		m.step(st, g)
	}
}

// after is the state after the next step of g that others can observe; nil if there is none.
func (m *machine) after(st state, g int) state {
	in := m.next(st, g)
	if in == nil {
		return nil
	}
	st = slices.Clone(st)
	if _, ok := m.step(st, g); !ok {
		return nil
	}
	m.settle(st, g)
	if in.Op == Go {
		m.settle(st, in.Obj)
	}
	return st
}
