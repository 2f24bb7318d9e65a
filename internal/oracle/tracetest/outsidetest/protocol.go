package outsidetest

import "math/rand/v2"

// A protocol decides which goroutine may use a variable, the data. Without protocols nearly every
// pair of accesses would race, and no prediction could be false. There are three:
//
//   - The owner uses the data and then sets a flag. Others read the flag and use the data if it is
//     set.
//   - The owner sets the flag and then uses the data. Others read the flag and, if it is not set,
//     use the data in the same critical section.
//   - Each goroutine takes the data by setting the flag if it is not set, and gives it back.
//
// The value of the flag passes to the branch through registers, memory, arguments, results and
// callbacks, in inside and outside code in turn.
type protocol struct {
	medium medium
	owner  int
	closes bool  // the data is for others until the flag is set
	takes  bool  // the data is for the goroutine that has set the flag
	k      uint8 // the value of the flag when others may use the data
}

// medium is the kind of the flag.
type medium int

const (
	guarded  medium = iota // memory, under the first lock
	atomic                 // memory, by atomic operations
	plain                  // memory, which races
	file                   // a file, under the first lock
	counted                // the number of goroutines: the owner ends
	elements               // the number of elements of a channel
	polled                 // an element of a channel
	media
)

// observed reports whether only outside code can read the flag.
func (m medium) observed() bool { return m == file || m == counted }

// Variables of a program with a protocol. After them is one for each goroutine.
const (
	flagVar = iota
	dataVar
	commonVar
	ownVar
)

// other is a variable that is not of the protocol.
func (p *protocol) other(r *rand.Rand, g int) int {
	if r.IntN(3) == 0 {
		return commonVar
	}
	return ownVar + g
}

// agree makes a program most of whose goroutines follow a protocol.
func agree(r *rand.Rand) *Program {
	n := 2 + r.IntN(5)/4
	p := &Program{Code: make([][]Instr, n), Whole: make([]bool, n), Vars: ownVar + n, Locks: 1 + r.IntN(2), Groups: 1, Onces: 1}
	p.Chans, p.NoValue = []int{2, r.IntN(3)}, []bool{r.IntN(3) == 0, false}
	by := &protocol{medium: medium(r.IntN(int(media))), owner: r.IntN(n), k: 1}
	switch by.medium {
	case guarded, file:
		by.medium = []medium{guarded, guarded, file}[r.IntN(3)]
		switch r.IntN(4) {
		case 0, 1:
			by.closes, by.k = true, 0
		case 2:
			by.takes = by.medium == guarded
		}
	case counted:
		by.k = uint8(n - 1)
	case polled:
		p.NoValue[0] = false
	}
	for g := range p.Code {
		p.Whole[g] = g > 0 && r.IntN(6) == 0
		w := &writing{r: r, p: p, by: by, g: g, most: 40}
		c := scope{depth: 3}
		if p.Whole[g] {
			c = scope{bank: bank, outside: true, whole: true, depth: 3}
		}
		w.keep(c)
		w.finish()
		p.Code[g] = w.code
	}
	return p
}

// keep generates a goroutine that follows the protocol.
func (w *writing) keep(c scope) {
	if w.g == 0 {
		for u := 1; u < len(w.p.Code); u++ {
			w.add(Instr{Op: Go, Obj: u, Dst: -1, Src: -1})
		}
	}
	w.noise(c)
	if w.by.takes {
		for range 1 + w.r.IntN(2) {
			w.anywhere(c, w.take)
			w.noise(c)
		}
		return
	}
	if w.g == w.by.owner {
		w.own(c)
		return
	}
	for range 1 + w.r.IntN(3) {
		if len(w.code) < 36 {
			w.consume(c)
			w.noise(c)
		}
	}
}

func (w *writing) noise(c scope) {
	for w.one(3) {
		w.statement(c)
	}
}

// take takes the data if it is free, uses it, and gives it back.
func (w *writing) take(c scope) {
	s := w.reg(c)
	flag := Instr{Op: Write, Outside: c.outside, Dst: -1, Src: -1, K: 1}
	w.locked(c, func() {
		w.obtain(c, s, 1)
		i := w.add(Instr{Op: If, Src: s, Outside: c.outside, Dst: -1})
		w.add(flag)
		w.code[i].To = len(w.code)
	})
	i := w.add(Instr{Op: If, Src: s, Outside: c.outside, Dst: -1})
	for range 1 + w.r.IntN(2) {
		w.use(c)
	}
	flag.K = 0
	w.locked(c, func() { w.add(flag) })
	w.code[i].To = len(w.code)
}

// own is the code of the owner.
func (w *writing) own(c scope) {
	if !w.by.closes && w.one(3) {
		w.set(c, 2*uint8(w.r.IntN(2)))
	}
	if w.by.closes {
		if w.one(2) { // sets the flag and resets it
			w.set(c, uint8(w.r.IntN(values)), 0)
		}
		w.set(c, 1)
	}
	w.use(c)
	w.noise(c)
	if w.one(3) {
		w.use(c)
	}
	if w.by.closes {
		return
	}
	if w.set(c, 1); w.one(3) {
		w.noise(c)
	}
}

// inCall is a piece of code in a call of outside code; results go from its registers to those of c.
func (w *writing) inCall(c scope, args [][2]int, results [][2]int, body func(scope)) {
	w.add(Instr{Op: Call, Args: args, Dst: -1, Src: -1})
	d := c
	d.bank, d.outside = bank, true
	body(d)
	w.add(Instr{Op: Return, Args: results, Dst: -1, Src: -1})
}

// inBack is a piece of inside code that outside code calls back.
func (w *writing) inBack(c scope, args [][2]int, results [][2]int, body func(scope)) {
	w.add(Instr{Op: Enter, Args: args, Dst: -1, Src: -1})
	d := c
	d.bank, d.outside = 2*bank, false
	body(d)
	w.add(Instr{Op: Leave, Args: results, Dst: -1, Src: -1})
}

// anywhere is a piece of code, inside or outside.
func (w *writing) anywhere(c scope, body func(scope)) {
	switch {
	case w.one(2):
		body(c)
	case c.outside:
		w.inBack(c, nil, nil, body)
	case c.bank == 0:
		w.inCall(c, nil, nil, body)
	default:
		body(c)
	}
}

// locked is a critical section of the first lock.
func (w *writing) locked(c scope, body func()) {
	w.add(Instr{Op: Lock, Outside: c.outside, Dst: -1, Src: -1})
	body()
	w.add(Instr{Op: Unlock, Outside: c.outside, Dst: -1, Src: -1})
}

// use is an access to the data.
func (w *writing) use(c scope) {
	w.anywhere(c, func(c scope) {
		in := Instr{Op: Write, Obj: dataVar, Outside: c.outside, Dst: -1, Src: -1, K: 1}
		if w.one(3) {
			in.Op, in.Dst = Read, w.reg(c)
		}
		w.add(in)
	})
}

// set sets the flag to some values, one after the other.
func (w *writing) set(c scope, list ...uint8) {
	where := w.anywhere
	if w.by.medium == file && !c.outside {
		where = func(c scope, body func(scope)) { w.inCall(c, nil, nil, body) }
	}
	if w.by.medium == file && c.outside {
		where = func(c scope, body func(scope)) { body(c) }
	}
	where(c, func(c scope) {
		in := Instr{Outside: c.outside, Dst: -1, Src: -1}
		write := func(op Op) {
			for _, in.K = range list {
				in.Op = op
				if in.Narrow = op == Write && c.outside && w.one(2); in.Narrow && w.one(3) {
					in.Op, in.K = MapSet, (in.K+values-1)%values
				}
				w.add(in)
			}
		}
		switch w.by.medium {
		case guarded:
			w.locked(c, func() { write(Write) })
		case plain:
			w.locked(c, func() {})
			write(Write)
		case file:
			w.locked(c, func() { write(Change) })
		case atomic:
			write(AtomWrite)
		case counted:
			w.locked(c, func() {})
		default:
			list = list[len(list)-1:]
			write(Send)
		}
	})
}

// look reads the flag into register s.
func (w *writing) look(c scope, s int) {
	in := Instr{Outside: c.outside, Dst: s, Src: -1}
	in.Op = [media]Op{guarded: Read, atomic: AtomRead, plain: Read, file: Look, counted: Count, elements: Len, polled: Poll}[w.by.medium]
	if in.Op == Read && c.outside {
		in.Narrow = w.one(3)
	}
	w.add(in)
}

// consume reads the flag, and uses the data if the flag allows it.
func (w *writing) consume(c scope) {
	s := w.reg(c)
	switch under := w.by.medium == guarded || w.by.medium == file; {
	case under && (w.by.closes || w.one(3)):
		w.locked(c, func() {
			w.obtain(c, s, 2)
			w.relay(c, s, w.by.k, 2)
		})
	case under:
		w.locked(c, func() { w.obtain(c, s, 2) })
		w.relay(c, s, w.by.k, 3)
	default:
		w.obtain(c, s, 2)
		w.relay(c, s, w.by.k, 3)
	}
}

// obtain reads the flag into register s, maybe in nested code.
func (w *writing) obtain(c scope, s, n int) {
	in, memory := w.inCall, w.one(2)
	if c.outside {
		in = w.inBack
	}
	if n == 0 || c.bank == 2*bank || w.one(3) || w.by.medium.observed() {
		if w.by.medium.observed() && !c.outside {
			w.inCall(c, nil, [][2]int{{s, bank}}, func(d scope) { w.look(d, bank) })
			return
		}
		w.look(c, s)
		return
	}
	to := c.bank + bank + w.r.IntN(bank)
	if memory {
		in(c, nil, nil, func(d scope) {
			w.obtain(d, to, n-1)
			w.add(Instr{Op: Write, Obj: ownVar + w.g, Outside: d.outside, Dst: -1, Src: to})
		})
		w.add(Instr{Op: Read, Obj: ownVar + w.g, Outside: c.outside, Dst: s, Src: -1})
		return
	}
	in(c, nil, [][2]int{{s, to}}, func(d scope) { w.obtain(d, to, n-1) })
}

// relay uses the data if register s is k. The value may be copied before.
func (w *writing) relay(c scope, s int, k uint8, n int) {
	own := Instr{Obj: ownVar + w.g, Outside: c.outside, Dst: -1, Src: -1}
	write, read := own, own
	write.Op, write.Src = Write, s
	read.Op, read.Dst = Read, s
	to := c.bank + bank + w.r.IntN(bank)
	args := [][2]int{{to, s}}
	switch w.r.IntN(6) {
	case 0:
		if n > 0 { // through memory
			w.add(write)
			w.add(read)
			w.relay(c, s, k, n-1)
			return
		}
	case 1:
		if n > 0 && c.bank < 2*bank { // to nested code, through memory
			w.add(write)
			w.deeper(c, nil, func(d scope) {
				read.Outside, read.Dst = d.outside, to
				w.add(read)
				w.relay(d, to, k, n-1)
			})
			return
		}
	case 2, 3:
		if n > 0 && c.bank < 2*bank { // as an argument
			w.deeper(c, args, func(d scope) { w.relay(d, to, k, n-1) })
			return
		}
	case 4:
		if n > 0 && !c.outside && c.bank == 0 { // through outside code
			x := uint8(w.r.IntN(2))
			w.add(write)
			w.inCall(c, nil, nil, func(scope) {
				w.add(Instr{Op: MapSet, Obj: own.Obj, Outside: true, Narrow: true, Dst: -1, Src: -1, K: x})
			})
			w.add(read)
			w.relay(c, s, (2*k+x+1)%values, n-1)
			return
		}
	case 5:
		if c.outside && !c.whole { // outside code panics if it is not k
			i := w.add(Instr{Op: If, Src: s, K: k, Dst: -1, Outside: true})
			j := w.add(Instr{Op: Jump, Dst: -1, Src: -1, Outside: true})
			w.code[i].To = len(w.code)
			w.ends = append(w.ends, w.add(Instr{Op: Stop, Outside: true, Dst: -1, Src: -1}))
			w.code[j].To = len(w.code)
			w.use(c)
			return
		}
	}
	w.when(c, s, k)
}

// when uses the data if register s is k, or if it is not the other value.
func (w *writing) when(c scope, s int, k uint8) {
	in := Instr{Op: If, Src: s, K: k, Dst: -1, Outside: c.outside}
	not := w.one(3)
	if not {
		in.K ^= 1
	}
	i := w.add(in)
	if not {
		j := w.add(Instr{Op: Jump, Dst: -1, Src: -1, Outside: c.outside})
		w.code[i].To, i = len(w.code), j
	}
	w.use(c)
	w.code[i].To = len(w.code)
}

// deeper is a call of outside code, or a callback.
func (w *writing) deeper(c scope, args [][2]int, body func(scope)) {
	if c.outside {
		w.inBack(c, args, nil, body)
		return
	}
	w.inCall(c, args, nil, body)
}
