package outsidetest

import "math/rand/v2"

// Generate makes a random program. In two of three, goroutines follow a protocol.
func Generate(r *rand.Rand) *Program {
	if r.IntN(3) > 0 {
		return agree(r)
	}
	n := 2 + r.IntN(2)
	p := &Program{Code: make([][]Instr, n), Whole: make([]bool, n), Vars: 2 + r.IntN(2), Locks: 1 + r.IntN(2), Groups: 1, Onces: 1}
	for range 1 + r.IntN(2) {
		p.Chans, p.NoValue = append(p.Chans, r.IntN(3)), append(p.NoValue, r.IntN(3) == 0)
	}
	total := 34
	for g := range p.Code {
		p.Whole[g] = g > 0 && r.IntN(5) == 0
		w := &writing{r: r, p: p, g: g, most: total / n}
		if g == 0 {
			w.starts()
		}
		w.frame(p.Whole[g])
		if g > 0 && r.IntN(3) == 0 {
			w.add(Instr{Op: Add, Src: 1, K: 1, Dst: -1, Outside: p.Whole[g]})
		}
		w.finish()
		p.Code[g] = w.code
	}
	return p
}

// writing is the code of a goroutine while it is generated.
type writing struct {
	r    *rand.Rand
	p    *Program
	by   *protocol // nil: none
	g    int
	code []Instr
	most int
	ends []int // instructions that go to the end of the goroutine
}

// scope is the context of a statement.
type scope struct {
	bank    int // first register
	outside bool
	whole   bool // outside code that no inside code has called
	once    bool // in the function of a Once
	depth   int
}

func (w *writing) add(in Instr) int {
	w.code = append(w.code, in)
	return len(w.code) - 1
}

func (w *writing) one(n int) bool { return w.r.IntN(n) == 0 }

func (w *writing) reg(c scope) int { return c.bank + w.r.IntN(bank) }

// variable is a variable to access: with a protocol, rarely one of the protocol.
func (w *writing) variable() int {
	if w.by == nil || w.one(10) {
		return w.r.IntN(w.p.Vars)
	}
	return w.by.other(w.r, w.g)
}

// starts are go statements of the first goroutine for the others.
func (w *writing) starts() {
	if n := len(w.p.Code) - 1; w.one(2) {
		w.add(Instr{Op: Add, Src: -1, Dst: -1, K: uint8(n)})
	}
	for w.one(4) {
		w.statement(scope{depth: 2})
	}
	for u := 1; u < len(w.p.Code); u++ {
		w.add(Instr{Op: Go, Obj: u, Dst: -1, Src: -1})
		for u < len(w.p.Code)-1 && w.one(4) {
			w.statement(scope{})
		}
	}
}

// frame is the body of the goroutine.
func (w *writing) frame(whole bool) {
	c := scope{}
	if whole {
		c = scope{bank: bank, outside: true, whole: true}
	}
	for len(w.code) < w.most && !w.one(14) {
		w.statement(c)
	}
}

// finish ends the goroutine.
func (w *writing) finish() {
	end := w.add(Instr{Op: End, Dst: -1, Src: -1})
	for _, i := range w.ends {
		w.code[i].To = end
	}
}

// some is a few nested statements.
func (w *writing) some(c scope, most int) {
	c.depth++
	for range 1 + w.r.IntN(most) {
		w.statement(c)
	}
}

// statement writes a random one.
func (w *writing) statement(c scope) {
	if len(w.code) >= w.most+8 || c.depth >= 5 {
		return
	}
	kinds := []struct {
		often int
		write func(scope)
	}{
		{14, w.access}, {2, w.atomic}, {7, w.section}, {2, w.try}, {4, w.channel}, {5, w.branch},
		{1, w.group}, {1, w.once}, {9, w.call}, {3, w.back}, {2, w.stop}, {2, w.observe},
	}
	total := 0
	for _, k := range kinds {
		total += k.often
	}
	n := w.r.IntN(total)
	for _, k := range kinds {
		if n -= k.often; n < 0 {
			k.write(c)
			return
		}
	}
}

// source is a register or a constant.
func (w *writing) source(c scope) (src int, k uint8) {
	if w.one(2) {
		return -1, uint8(w.r.IntN(values - 1))
	}
	return w.reg(c), uint8(w.r.IntN(2))
}

func (w *writing) access(c scope) {
	in := Instr{Op: Read, Obj: w.variable(), Outside: c.outside, Dst: w.reg(c), Src: -1}
	if !w.one(2) {
		in.Op, in.Dst = Write, -1
		in.Src, in.K = w.source(c)
	}
	if c.outside {
		if in.Narrow = w.one(3); in.Narrow && in.Op == Write && w.one(2) {
			in.Op = MapSet
		}
	}
	w.add(in)
}

func (w *writing) atomic(c scope) {
	in := Instr{Obj: w.variable(), Outside: c.outside, Dst: w.reg(c), Src: -1}
	switch w.r.IntN(4) {
	case 0:
		in.Op = AtomRead
	case 1:
		in.Op, in.Dst = AtomWrite, -1
		in.Src, in.K = w.source(c)
	case 2:
		in.Op, in.K = Xor, 1
	default:
		in.Op, in.K = Swap, uint8(w.r.IntN(2))
	}
	w.add(in)
}

func (w *writing) section(c scope) {
	in := Instr{Op: Lock, Obj: w.r.IntN(w.p.Locks), Outside: c.outside, Dst: -1, Src: -1}
	out := in
	if out.Op = Unlock; w.one(5) {
		in.Op, out.Op = RLock, RUnlock
	}
	w.add(in)
	w.some(c, 3)
	w.add(out)
}

func (w *writing) try(c scope) {
	l := Instr{Op: TryLock, Obj: w.r.IntN(w.p.Locks), Outside: c.outside, Dst: w.reg(c), Src: -1}
	w.add(l)
	i := w.add(Instr{Op: If, Src: l.Dst, K: 1, Dst: -1, Outside: c.outside})
	w.some(c, 2)
	w.add(Instr{Op: Unlock, Obj: l.Obj, Outside: c.outside, Dst: -1, Src: -1})
	w.code[i].To = len(w.code)
}

func (w *writing) channel(c scope) {
	in := Instr{Obj: w.r.IntN(len(w.p.Chans)), Outside: c.outside, Dst: w.reg(c), Src: -1}
	switch w.r.IntN(7) {
	case 0, 1, 2:
		in.Op, in.Dst = Send, -1
		in.Src, in.K = w.source(c)
	case 3, 4:
		in.Op = Recv
	case 5:
		in.Op = Len
	default:
		if in.Op = Poll; w.p.Chans[in.Obj] == 0 {
			in.Op = Recv
		}
	}
	w.add(in)
}

func (w *writing) branch(c scope) {
	i := w.add(Instr{Op: If, Src: w.reg(c), K: uint8(w.r.IntN(3)), Dst: -1, Outside: c.outside})
	w.some(c, 2)
	if w.one(3) {
		j := w.add(Instr{Op: Jump, Outside: c.outside, Dst: -1, Src: -1})
		w.code[i].To = len(w.code)
		w.some(c, 2)
		i = j
	}
	w.code[i].To = len(w.code)
}

func (w *writing) group(c scope) {
	if w.g == 0 {
		w.add(Instr{Op: Wait, Outside: c.outside, Dst: -1, Src: -1})
	} else {
		w.add(Instr{Op: Add, Src: 1, K: 1, Outside: c.outside, Dst: -1})
	}
}

func (w *writing) once(c scope) {
	if c.once {
		return
	}
	i := w.add(Instr{Op: Once, Outside: c.outside, Dst: -1, Src: -1})
	c.once = true
	w.some(c, 2)
	w.add(Instr{Op: OnceEnd, Outside: c.outside, Dst: -1, Src: -1})
	w.code[i].To = len(w.code)
}

// pass copies arguments or results from the registers of one frame to those of another.
func (w *writing) pass(to, from int) (args [][2]int) {
	for i := range bank {
		if !w.one(3) {
			args = append(args, [2]int{to + i, from + w.r.IntN(bank)})
		}
	}
	return args
}

func (w *writing) call(c scope) {
	if c.outside || c.bank > 0 {
		w.access(c)
		return
	}
	w.add(Instr{Op: Call, Args: w.pass(bank, 0), Dst: -1, Src: -1})
	d := c
	d.bank, d.outside = bank, true
	w.some(d, 4)
	results := w.pass(0, bank)
	w.add(Instr{Op: Return, Args: results[:min(len(results), w.r.IntN(3))], Dst: -1, Src: -1})
}

func (w *writing) back(c scope) {
	if !c.outside {
		w.access(c)
		return
	}
	w.add(Instr{Op: Enter, Args: w.pass(2*bank, bank), Dst: -1, Src: -1})
	d := c
	d.bank, d.outside = 2*bank, false
	w.some(d, 3)
	w.add(Instr{Op: Leave, Args: w.pass(bank, 2*bank), Dst: -1, Src: -1})
}

func (w *writing) stop(c scope) {
	if !c.outside || c.whole || c.once {
		w.access(c)
		return
	}
	i := w.add(Instr{Op: If, Src: w.reg(c), K: uint8(w.r.IntN(3)), Dst: -1, Outside: true})
	w.ends = append(w.ends, w.add(Instr{Op: Stop, Outside: true, Dst: -1, Src: -1}))
	w.code[i].To = len(w.code)
}

func (w *writing) observe(c scope) {
	if !c.outside {
		w.access(c)
		return
	}
	in := Instr{Op: Look, Outside: true, Dst: w.reg(c), Src: -1}
	switch w.r.IntN(5) {
	case 0, 1:
		in.Op, in.Dst = Change, -1
		in.Src, in.K = w.source(c)
	case 2:
		in.Op = Count
	}
	w.add(in)
}
