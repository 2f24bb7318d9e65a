// Gentrace writes a synthetic trace in RAPID's STD format to standard output.
//
//	go run ./bench/gentrace -events 10000000 -threads 16 -locks 64 | gzip > t.std.gz
//
// Each lock protects variables of its own; threads enter critical sections, two locks
// deep at times (in a fixed order, so that no trace deadlocks), and touch, in between,
// variables of their own and variables that are only read. The main thread writes those,
// forks the others, joins them at the end. Nothing of this races.
//
// Then -races pairs of accesses are seeded: each is one write to a variable of its own by two threads,
// without a lock, at locations raceN.a and raceN.b. Nothing else touches the variable.
// The two halves stand up to 1000 events apart: critical sections between them may order them by happens-before,
// and then it takes prediction to find the pair, if the reads between them let it be found at all.
//
// The same flags and seed give the same bytes.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
)

type config struct {
	events, threads, locks, vars, own, shared, races int
	section                                          int
	seed                                             uint64
}

func main() {
	var c config
	flag.IntVar(&c.events, "events", 10_000_000, "number of events, about")
	flag.IntVar(&c.threads, "threads", 16, "number of threads, the main one included")
	flag.IntVar(&c.locks, "locks", 64, "number of locks")
	flag.IntVar(&c.vars, "vars", 32, "variables per lock")
	flag.IntVar(&c.own, "own", 256, "variables per thread that no other thread touches")
	flag.IntVar(&c.shared, "shared", 1024, "variables that are written once, before the forks, and then read by all")
	flag.IntVar(&c.races, "races", 5, "seeded races")
	flag.IntVar(&c.section, "section", 20, "accesses between two lock operations, on average")
	flag.Uint64Var(&c.seed, "seed", 1, "seed")
	flag.Parse()
	if flag.NArg() > 0 || c.threads < 2 || c.locks < 1 || c.vars < 1 || c.own < 1 || c.shared < 1 || c.section < 1 || c.races < 0 || c.events < 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := generate(os.Stdout, c); err != nil {
		fmt.Fprintln(os.Stderr, "gentrace:", err)
		os.Exit(1)
	}
}

// generator is the state of one trace.
type generator struct {
	config
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

func generate(out io.Writer, c config) error {
	g := &generator{
		config: c, w: bufio.NewWriterSize(out, 1<<16), r: rand.New(rand.NewPCG(c.seed, 0)),
		held: make([][]int, c.threads), holder: make([]int, c.locks),
	}
	g.plan()
	for i := range g.shared {
		g.event(0, "w", "S", i, "init", 0)
	}
	for t := 1; t < g.threads; t++ {
		g.event(0, "fork", "T", t, "fork", 0)
	}
	for g.n < g.events-2*g.threads {
		g.step()
	}
	for t := 1; t < g.threads; t++ {
		g.leave(t)
		g.event(0, "join", "T", t, "join", 0)
	}
	g.leave(0)
	return g.w.Flush()
}

// plan spreads the halves of the seeded races over the trace, the two of a pair about 1000 events apart.
func (g *generator) plan() {
	for i := range g.races {
		at := g.shared + g.threads + (g.events-g.shared-g.threads)/(g.races+1)*(i+1)
		a := g.r.IntN(g.threads)
		b := (a + 1 + g.r.IntN(g.threads-1)) % g.threads
		g.seeds = append(g.seeds, seeded{at, i, 'a', a}, seeded{at + 1 + g.r.IntN(1000), i, 'b', b})
	}
}

// step is what one thread does without a change of thread: some accesses, and one lock operation.
func (g *generator) step() {
	for len(g.seeds) > 0 && g.n >= g.seeds[0].at {
		s := g.seeds[0]
		g.seeds = g.seeds[1:]
		g.leave(s.thread)
		g.event(s.thread, "w", "R", s.race, "race"+strconv.Itoa(s.race)+".", int(s.half))
	}
	t := g.r.IntN(g.threads)
	for range 1 + g.r.IntN(2*g.section-1) {
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
		g.event(t, op, "V", l*g.vars+g.r.IntN(g.vars), op, l*100+place)
	case g.r.IntN(2) == 0:
		g.event(t, op, "P", t*g.own+g.r.IntN(g.own), op, 10_000+place)
	default:
		g.event(t, "r", "S", g.r.IntN(g.shared), "r", 20_000+place)
	}
}

// lock enters or leaves a critical section. A lock that is taken is not waited for.
func (g *generator) lock(t int) {
	held := g.held[t]
	if len(held) == 2 || len(held) == 1 && g.r.IntN(4) > 0 {
		g.unlock(t)
		return
	}
	l := g.r.IntN(g.locks)
	if g.holder[l] != 0 || len(held) == 1 && l <= held[0] {
		return
	}
	g.holder[l] = t + 1
	g.held[t] = append(held, l)
	g.event(t, "acq", "L", l, "lock", l)
}

func (g *generator) unlock(t int) {
	n := len(g.held[t]) - 1
	l := g.held[t][n]
	g.held[t] = g.held[t][:n]
	g.holder[l] = 0
	g.event(t, "rel", "L", l, "unlock", l)
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
