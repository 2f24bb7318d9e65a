// Package synthetic makes traces of any size in RAPID's STD format.
//
// Each lock protects variables of its own. Threads enter critical sections, sometimes two locks
// deep, in a fixed order, so that no trace deadlocks. In between they access variables of their
// own, and variables that are only read. The main thread writes those, forks the others, and joins
// them at the end. None of these accesses race.
//
// Then races are seeded. Each is one write by each of two threads to a variable of its own,
// without a lock, at locations raceN.a and raceN.b. Nothing else accesses the variable. The two
// writes are up to 1000 events apart. Critical sections between them may order them by
// happens-before. Then only prediction finds the pair, and only if the reads between them allow
// it.
package synthetic

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
)

// Config says what is made. The same one gives the same bytes.
type Config struct {
	Events  int // about
	Threads int // the main one included
	Locks   int
	Kinds   int // of locks: those of one kind are used at the same locations. 0: each has its own
	Vars    int // variables per lock
	Own     int // variables per thread that no other thread touches
	Shared  int // variables that are written once, before the forks, and then read by all
	Races   int // seeded
	Section int // accesses between two lock operations, on average
	Seed    uint64
}

// Default is a trace of ten million events.
var Default = Config{Events: 10_000_000, Threads: 16, Locks: 64, Vars: 32, Own: 256, Shared: 1024, Races: 5, Section: 20, Seed: 1}

// check returns what is wrong with a configuration.
func (c *Config) check() error {
	if c.Threads < 2 || min(c.Locks, c.Vars, c.Own, c.Shared, c.Section) < 1 || min(c.Kinds, c.Races, c.Events) < 0 {
		return errors.New("a number is too small")
	}
	return nil
}

// generator is the state of one trace.
type generator struct {
	Config
	w      *bufio.Writer
	r      *rand.Rand
	n      int
	line   []byte
	held   [][]int // by thread: locks, outermost first
	holder []int   // by lock: thread + 1
	seeds  []seeded
}

// seeded is one half of a seeded race.
type seeded struct {
	at, race int
	half     byte
	thread   int // -1: any but that of the other half
}

// Write makes a trace.
func Write(out io.Writer, c Config) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Kinds == 0 {
		c.Kinds = c.Locks
	}
	g := &generator{
		Config: c, w: bufio.NewWriterSize(out, 1<<16), r: rand.New(rand.NewPCG(c.Seed, 0)),
		held: make([][]int, c.Threads), holder: make([]int, c.Locks),
	}
	g.plan()
	for i := range g.Shared {
		g.event(0, "w", "S", i, "init", 0)
	}
	for t := 1; t < g.Threads; t++ {
		g.event(0, "fork", "T", t, "fork", 0)
	}
	for g.n < g.Events-2*g.Threads {
		g.step()
	}
	for t := 1; t < g.Threads; t++ {
		g.leave(t)
		g.event(0, "join", "T", t, "join", 0)
	}
	g.leave(0)
	return g.w.Flush()
}

// plan spreads the halves of the seeded races over the trace, the two of a pair about 1000 events
// apart.
func (g *generator) plan() {
	for i := range g.Races {
		at := g.Shared + g.Threads + (g.Events-g.Shared-g.Threads)/(g.Races+1)*(i+1)
		a := g.r.IntN(g.Threads)
		b := (a + 1 + g.r.IntN(g.Threads-1)) % g.Threads
		g.seeds = append(g.seeds, seeded{at, i, 'a', a}, seeded{at + 1 + g.r.IntN(1000), i, 'b', b})
	}
}

// step is a stretch of one thread between two changes of thread: some accesses, and one lock
// operation.
func (g *generator) step() {
	for len(g.seeds) > 0 && g.n >= g.seeds[0].at {
		s := g.seeds[0]
		g.seeds = g.seeds[1:]
		g.leave(s.thread)
		g.event(s.thread, "w", "R", s.race, "race"+strconv.Itoa(s.race)+".", int(s.half))
	}
	t := g.r.IntN(g.Threads)
	for range 1 + g.r.IntN(2*g.Section-1) {
		g.access(t)
	}
	g.lock(t)
}

func (g *generator) access(t int) {
	op, place := "r", g.r.IntN(40)
	if g.r.IntN(3) == 0 {
		op = "w"
	}
	held := g.held[t]
	switch {
	case len(held) > 0 && g.r.IntN(4) > 0:
		l := held[g.r.IntN(len(held))]
		g.event(t, op, "V", l*g.Vars+g.r.IntN(g.Vars), op, l%g.Kinds*100+place)
	case g.r.IntN(2) == 0:
		g.event(t, op, "P", t*g.Own+g.r.IntN(g.Own), op, 10_000+place)
	default:
		g.event(t, "r", "S", g.r.IntN(g.Shared), "r", 20_000+place)
	}
}

// lock enters or leaves a critical section. A lock that is taken is not waited for.
func (g *generator) lock(t int) {
	held := g.held[t]
	if len(held) == 2 || len(held) == 1 && g.r.IntN(4) > 0 {
		g.unlock(t)
		return
	}
	l := g.r.IntN(g.Locks)
	if g.holder[l] != 0 || len(held) == 1 && l <= held[0] {
		return
	}
	g.holder[l] = t + 1
	g.held[t] = append(held, l)
	g.event(t, "acq", "L", l, "lock", l%g.Kinds)
}

func (g *generator) unlock(t int) {
	n := len(g.held[t]) - 1
	l := g.held[t][n]
	g.held[t] = g.held[t][:n]
	g.holder[l] = 0
	g.event(t, "rel", "L", l, "unlock", l%g.Kinds)
}

func (g *generator) leave(t int) {
	for len(g.held[t]) > 0 {
		g.unlock(t)
	}
}

// event writes one line. Half 'a' and 'b' of a race end its location.
func (g *generator) event(t int, op, kind string, operand int, location string, place int) {
	b := append(g.line[:0], 'T')
	b = strconv.AppendInt(b, int64(t), 10)
	b = append(append(append(b, '|'), op...), '(')
	b = append(b, kind...)
	b = strconv.AppendInt(b, int64(operand), 10)
	b = append(append(b, ")|"...), location...)
	if kind == "R" {
		b = append(b, byte(place))
	} else {
		b = strconv.AppendInt(b, int64(place), 10)
	}
	g.line = append(b, '\n')
	g.w.Write(g.line) // an error stays in g.w
	g.n++
}
