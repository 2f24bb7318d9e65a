package progtest

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"strings"
)

// Knobs are what a generated program may use. With the zero value, the seed chooses.
type Knobs struct {
	Goroutines int // 1 to 3, besides main
	Statements int // of a goroutine, roughly
	Use        Feature
}

// A Feature is a set of things that a program uses.
type Feature uint

const (
	Locks Feature = 1 << iota
	Channels
	Pointers
	Arith // all operators, narrow types
	Loops
	Atomics
	Strings
	Floats
	Calls // functions, closures
	Arrays
	Late        // main continues while the others run
	Guards      // most statements depend on values that other goroutines write
	Dynamic     // function values, interfaces
	Texts       // two strings, and functions of the standard library
	Tries       // TryLock, TryRLock
	Onces       // Once, OnceFunc, OnceValue
	Conds       // Wait, Signal, Broadcast
	Lengths     // len and cap of channels
	Maps        // a map that may race
	SyncMaps    // sync.Map
	Contexts    // WithCancel
	Pools       // sync.Pool
	Timers      // After, NewTimer, AfterFunc, Stop
	allFeatures = 1<<iota - 1

	// choices are the features whose statements have more than one outcome.
	choices = Tries | Onces | Conds | Lengths | Maps | SyncMaps | Contexts | Pools | Timers
)

// Generate writes the program of a seed. It type-checks and terminates, or blocks, or panics, under
// every schedule.
func Generate(seed uint64, k Knobs) string {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 7)), k: k}
	g.choose()
	return g.program()
}

func (g *generator) choose() {
	if g.k.Goroutines == 0 {
		g.k.Goroutines = []int{1, 2, 2, 2, 2, 3}[g.rng.IntN(6)]
	}
	if g.k.Statements == 0 {
		g.k.Statements = 2 + g.rng.IntN(4)
		if g.k.Goroutines == 3 {
			g.k.Statements = min(g.k.Statements, 3)
		}
	}
	if g.k.Use == 0 {
		g.k.Use = Feature(g.rng.UintN(allFeatures+1)) & Feature(g.rng.UintN(allFeatures+1)|uint(Arith))
		if g.rng.IntN(3) > 0 {
			g.k.Use |= Late
		}
		if g.has(Lengths) && g.rng.IntN(4) > 0 {
			g.k.Use |= Channels
		}
	}
	if g.has(Guards) {
		g.topic = g.pick("x", "y", "z", "t.a", "arr[1]")
		if g.k.Goroutines < 3 {
			g.k.Statements += g.rng.IntN(3)
		}
	}
}

// A generator writes a program. It declares the variables that are used.
type generator struct {
	rng    *rand.Rand
	k      Knobs
	out    strings.Builder
	depth  int
	locked bool
	once   bool // inside the function of a Once
	child  bool // the goroutine has made a context
	timers int  // that the goroutine starts
	loop   int
	budget int // statements that may still be written for this goroutine
	worker int
	topic  string // the variable that most guarded statements use
	set    int    // last value of the goroutine's own variable
}

func (g *generator) has(f Feature) bool { return g.k.Use&f != 0 }

func (g *generator) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

func (g *generator) p(format string, a ...any) {
	g.out.WriteString(strings.Repeat("\t", g.depth+1))
	fmt.Fprintf(&g.out, format, a...)
	g.out.WriteByte('\n')
}

func (g *generator) program() string {
	for i := range g.k.Goroutines {
		g.worker = i + 1
		fmt.Fprintf(&g.out, "\nfunc w%d() {\n", i+1)
		deferred := g.rng.IntN(3) == 0
		if deferred {
			g.p("defer wg.Done()")
		}
		g.body(g.k.Statements)
		if !deferred {
			g.p("wg.Done()")
		}
		g.out.WriteString("}\n")
	}
	g.mainFunc()
	body := g.out.String()
	src := g.header(body) + body
	text, err := format.Source([]byte(src))
	if err != nil {
		panic("progtest: generated program: " + err.Error() + "\n" + src)
	}
	return string(text)
}

func (g *generator) mainFunc() {
	g.worker = 0
	g.out.WriteString("\nfunc main() {\n")
	if g.rng.IntN(3) == 0 {
		g.p("%s = %d", g.pick("x", "y", "t.a", "arr[1]"), g.rng.IntN(4))
	}
	g.p("wg.Add(%d)", g.k.Goroutines)
	for i := range g.k.Goroutines {
		if g.has(Calls) && g.rng.IntN(4) == 0 {
			g.p("go func() { w%d() }()", i+1)
		} else {
			g.p("go w%d()", i+1)
		}
	}
	if g.has(Late) {
		g.body(1 + g.rng.IntN(2))
	} else {
		g.p("a, b := 0, 1")
	}
	if g.rng.IntN(5) > 0 {
		g.p("wg.Wait()")
	}
	for range g.rng.IntN(3) {
		g.p("a = %s", g.expr(1))
	}
	g.p("_, _ = a, b")
	g.out.WriteString("}\n")
}

// body is the statements of one goroutine, with its locals a and b.
func (g *generator) body(n int) {
	g.p("a, b := %d, %d", g.rng.IntN(3), g.rng.IntN(4))
	g.budget, g.set, g.child, g.timers = 2*n, 0, false, 0
	for range n {
		g.statement()
	}
	if g.worker > 0 {
		g.p("_, _ = a, b")
	}
}

// header declares what the body names.
func (g *generator) header(body string) string {
	uses := strings.Contains(body, "atomic.") || strings.Contains(body, "n.") || strings.Contains(body, "f = ")
	extra := declare(body)
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"sync\"\n")
	if uses {
		b.WriteString("\t\"sync/atomic\"\n")
	}
	for _, pkg := range []string{"context", "strconv", "strings", "time"} {
		if strings.Contains(body, pkg+".") || strings.Contains(extra, pkg+".") {
			fmt.Fprintf(&b, "\t%q\n", pkg)
		}
	}
	b.WriteString(")\n\ntype T struct {\n\ta, b int\n\tn    *T\n}\n\nvar (\n\twg      sync.WaitGroup\n\tmu, nu  sync.Mutex\n\trw      sync.RWMutex\n")
	b.WriteString("\tx, y, z int\n\tk0, k1, k2, k3 int\n\tarr     [3]int\n\tok      bool\n\ts       = \"a\"\n\tfl      = 1.5\n\ti8      int8\n\tu       uint32\n\tt       T\n")
	if g.has(Texts) {
		b.WriteString("\tw, v    = \"a1\", \"b\"\n")
	}
	b.WriteString("\tp       = &x\n\tq       = &t\n\tsl      = arr[:2]\n")
	fmt.Fprintf(&b, "\tch      = make(chan int, %d)\n\tdone    = make(chan bool)\n", g.rng.IntN(3))
	if uses {
		b.WriteString("\tf       int32\n\tn       atomic.Int64\n")
	}
	b.WriteString(extra)
	b.WriteString(")\n\n")
	if uses {
		b.WriteString("var _ atomic.Int32\n\n")
	}
	b.WriteString("func add(v, w int) int {\n\tif v > 3 {\n\t\treturn w\n\t}\n\treturn v + w\n}\n\nfunc inc(v *int) { *v++ }\n\nfunc (t *T) sum() int { return t.a + t.b }\n")
	if g.has(Dynamic) {
		b.WriteString(dynamicHeader)
	}
	return b.String()
}

const dynamicHeader = `
type S interface {
	get() int
	set(int)
}

type N int

func (t *T) get() int  { return t.a }
func (t *T) set(v int) { t.b = v }
func (n N) get() int   { return int(n) + z }
func (n N) set(v int)  { x = int(n) + v }

var (
	fn   = add
	in S = &t
	e  any
)
`

// shared is a shared variable of type int that can be assigned to.
func (g *generator) shared() string {
	for {
		switch g.rng.IntN(12) {
		case 0, 1, 2:
			return "x"
		case 3, 4, 5:
			return "y"
		case 6:
			return "z"
		case 7:
			if g.has(Arrays) {
				return fmt.Sprintf("arr[%d]", g.rng.IntN(3))
			}
		case 8:
			if g.has(Arrays) {
				return g.pick("sl[1]", "sl[x&1]", "arr[a&1]", "arr[y&1]", "sl[b]")
			}
		case 9:
			if g.has(Pointers) {
				return "*p"
			}
		case 10:
			if g.has(Pointers) {
				return g.pick("q.a", "q.b", "t.a", "q.n.a")
			}
		default:
			return g.pick("x", "y")
		}
	}
}

func (g *generator) local() string { return g.pick("a", "b") }

// expr is an expression of type int.
func (g *generator) expr(depth int) string {
	if depth > 0 && g.rng.IntN(2) == 0 {
		return g.compound(depth)
	}
	if g.has(Texts) && g.rng.IntN(6) == 0 {
		return g.textNumber()
	}
	switch g.rng.IntN(9) {
	case 0, 1:
		return fmt.Sprint(g.rng.IntN(6) - 1)
	case 2, 3:
		return g.local()
	case 4:
		switch {
		case g.has(Strings):
			return "len(s)"
		case g.has(Floats):
			return "int(fl)"
		case g.has(Atomics):
			return g.pick("int(n.Load())", "int(atomic.LoadInt32(&f))")
		}
	case 5:
		if g.has(Arith) {
			return g.pick("int(i8)", "int(u)")
		}
	}
	return g.shared()
}

func (g *generator) compound(depth int) string {
	e, h := g.expr(depth-1), g.expr(depth-1)
	if g.has(Calls) && g.rng.IntN(5) == 0 {
		return g.pick(fmt.Sprintf("add(%s, %s)", e, h), "t.sum()", fmt.Sprintf("func() int { return %s }()", e))
	}
	if !g.has(Arith) {
		return fmt.Sprintf("%s %s %s", e, g.pick("+", "-"), h)
	}
	switch g.rng.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("(%s+%s)", e, h)
	case 2:
		return fmt.Sprintf("(%s- %s)", e, h)
	case 3:
		return fmt.Sprintf("(%s*%s)", e, h)
	case 4:
		return fmt.Sprintf("(%s%s%s)", e, g.pick("&", "|", "^", "&^"), h)
	case 5:
		return fmt.Sprintf("(%s%s(%s|1))", e, g.pick("/", "%"), h)
	case 6:
		return fmt.Sprintf("(%s%s(uint(%s)&3))", e, g.pick("<<", ">>"), g.pick("a", "b", "x", "y"))
	case 7:
		return fmt.Sprintf("int(int8(%s+%s)*100)", g.local(), e)
	case 8:
		return fmt.Sprintf("int(uint8(%s- %s)-%d)", g.local(), e, g.rng.IntN(3))
	}
	return fmt.Sprintf("-%s", g.local())
}

func (g *generator) cond() string {
	if g.has(Texts) && g.rng.IntN(4) == 0 {
		return g.textCond()
	}
	if g.has(Lengths) && g.rng.IntN(4) == 0 {
		return g.pick("len(ch) > 0", "len(ch) == cap(ch)", "len(ch) == 0", "len(ch) < 2", "cap(ch) > 1", "len(done) == 0")
	}
	switch g.rng.IntN(12) {
	case 0:
		return g.pick("ok", "!ok")
	case 1:
		if g.has(Strings) {
			return g.pick(`s == "a"`, `s < "b"`, `s != "ab"`)
		}
	case 2:
		if g.has(Floats) {
			return g.pick("fl > 1", "fl != fl", "fl*fl < 3")
		}
	case 3:
		if g.has(Pointers) {
			return g.pick("p == &x", "q == &t", "q.n == nil", "p != nil")
		}
	case 4:
		if g.has(Atomics) {
			return g.pick("atomic.LoadInt32(&f) == 1", "n.Load() > 0", "atomic.CompareAndSwapInt32(&f, 0, 1)")
		}
	case 5:
		return fmt.Sprintf("%s&1 == 0", g.shared())
	case 6:
		return fmt.Sprintf("%s > 0 && %s < 3", g.shared(), g.shared())
	case 7:
		if g.has(Arith) {
			return g.pick("i8 < 0", "u > 3", "u/2 == 1")
		}
	}
	return fmt.Sprintf("%s %s %d", g.expr(1), g.pick(">", "==", "!=", "<=", "<"), g.rng.IntN(4))
}
