package progtest

import (
	"slices"
	"strings"
)

// declarations are the variables of statements that have several outcomes. Each is declared if the
// program has one of its marks.
var declarations = []struct{ marks, text string }{
	{"once.", "once sync.Once"},
	{"twice.", "twice sync.Once"},
	{"first(", "first = sync.OnceFunc(func() { x = 1; z++ })"},
	{"second(", "second = sync.OnceValue(func() int { y = 2; return x + 1 })"},
	{"cond.", "cond = sync.NewCond(&mu)"},
	{"sm.", "sm sync.Map"},
	{"ctx. (ctx) cancel()", "ctx, cancel = context.WithCancel(context.Background())"},
	{"pool.", "pool = sync.Pool{New: func() any { return &T{a: x} }}"},
	{"bare.", "bare sync.Pool"},
	{"m[ (m) (m,", "m = map[int]int{1: 1}"},
}

// declare returns the declarations that the body needs.
func declare(body string) (text string) {
	for _, d := range declarations {
		if slices.ContainsFunc(strings.Fields(d.marks), func(m string) bool { return strings.Contains(body, m) }) {
			text += "\t" + d.text + "\n"
		}
	}
	return text
}

// choiceGenerator generates statements whose outcome the schedule decides.
type choiceGenerator struct{ g *generator }

// choiceStmt is a statement with several outcomes, of one of the features that the program has.
func (c choiceGenerator) choiceStmt() {
	g := c.g
	if g.depth > 2 {
		g.p("a = x")
		return
	}
	var list []func()
	for _, c := range []struct {
		f Feature
		s func()
	}{
		{Tries, c.tryStmt}, {Onces, c.onceStmt}, {Conds, c.condStmt}, {Lengths, c.lengthStmt}, {Maps, c.mapStmt}, {SyncMaps, c.syncMapStmt}, {Contexts, c.contextStmt},
		{Pools, c.poolStmt}, {Timers, c.timerStmt},
	} {
		if g.has(c.f) {
			list = append(list, c.s)
		}
	}
	list[g.rng.IntN(len(list))]()
}

// nested writes a block of an if statement and what follows it.
func (c choiceGenerator) nested(n int, rest string) {
	g := c.g
	g.block(n)
	if rest != "" {
		g.depth++
		g.p("%s", rest)
		g.depth--
	}
}

func (c choiceGenerator) tryStmt() {
	g := c.g
	lock := g.pick("mu.Lock", "mu.Lock", "nu.Lock", "rw.Lock", "rw.RLock")
	name, mode := lock[:2], lock[3:]
	try, unlock := name+".Try"+mode+"()", name+"."+strings.Replace(mode, "Lock", "Unlock", 1)+"()"
	held := g.locked
	if g.rng.IntN(4) == 0 {
		g.p("if !%s {", try)
		g.block(1)
		g.p("} else {")
		g.locked = true
		c.nested(g.rng.IntN(2), unlock)
	} else {
		g.p("if %s {", try)
		g.locked = true
		c.nested(1+g.rng.IntN(2), unlock)
		if g.locked = held; g.rng.IntN(2) == 0 {
			g.p("} else {")
			g.block(1)
		}
	}
	g.locked = held
	g.p("}")
}

func (c choiceGenerator) onceStmt() {
	g := c.g
	switch n := g.rng.IntN(7); {
	case n < 3 && !g.once && g.depth < 2:
		g.once = true
		g.p("%s.Do(func() {", g.pick("once", "once", "twice"))
		g.block(1 + g.rng.IntN(2))
		g.p("})")
		g.once = false
	case n == 3:
		g.p("once.Do(func() { %s = %d })", g.pick("x", "y", "t.a"), g.rng.IntN(4))
	case n == 4:
		g.p("%s = second()", g.pick("a", "b", "z"))
	default:
		g.p("first()")
	}
}

func (c choiceGenerator) condStmt() {
	g := c.g
	switch n := g.rng.IntN(6); {
	case g.locked || g.loop > 0 || n == 0:
		g.p("cond.%s()", g.pick("Signal", "Broadcast"))
	case n < 3:
		g.p("mu.Lock()")
		g.p("%s", g.pick("ok = true", "y++", "x = 1", "y = 2"))
		g.p("cond.%s()", g.pick("Signal", "Broadcast"))
		g.p("mu.Unlock()")
	default:
		g.p("mu.Lock()")
		g.p("%s { cond.Wait() }", g.pick("for !ok", "for !ok", "for y == 0", "if x == 0", "if !ok"))
		g.locked = true
		g.statement()
		g.locked = false
		g.p("mu.Unlock()")
	}
}

func (c choiceGenerator) lengthStmt() {
	g := c.g
	if g.rng.IntN(3) == 0 {
		g.p("%s = %s", g.pick("a", "b", "x"), g.pick("len(ch)", "cap(ch)", "cap(ch)-len(ch)"))
		return
	}
	g.p("if %s {", g.pick("len(ch) > 0", "len(ch) == cap(ch)", "len(ch) == 0", "len(ch) < cap(ch)", "len(ch) > a"))
	g.block(1)
	c.orElse()
}

func (c choiceGenerator) mapStmt() {
	g := c.g
	lock, unlock := "", ""
	if !g.locked && g.rng.IntN(2) == 0 {
		lock, unlock = "mu.Lock(); ", "; mu.Unlock()"
	}
	key := g.pick("1", "1", "2", "a&1", "x&1")
	switch g.rng.IntN(7) {
	case 0, 1:
		g.p("%sm[%s] = %s%s", lock, key, g.expr(0), unlock)
	case 2:
		g.p("%s%s = m[%s]%s", lock, g.pick("a", "b", "x"), key, unlock)
	case 3:
		g.p("%sdelete(m, %s)%s", lock, key, unlock)
	case 4:
		g.p("%s%s = len(m)%s", lock, g.pick("a", "b"), unlock)
	default:
		g.p("{")
		g.depth++
		g.p("%sv, has := m[%s]%s", lock, key, unlock)
		g.p("if has { %s = v } else { %s = 2 }", g.pick("x", "a", "z"), g.pick("y", "b"))
		g.depth--
		g.p("}")
	}
}

func (c choiceGenerator) syncMapStmt() {
	g := c.g
	key := g.pick("1", "1", "2")
	switch g.rng.IntN(7) {
	case 0:
		g.p("sm.Store(%s, %s)", key, g.pick("3", "4", g.shared()))
	case 1:
		g.p("sm.Delete(%s)", key)
	case 2, 3:
		g.p("if got, has := sm.Load(%s); has {", key)
		c.nested(g.rng.IntN(2), g.pick("x", "a", "y")+" = got.(int)")
		c.orElse()
	case 4, 5:
		g.p("if _, has := sm.LoadOrStore(%s, %s); %s {", key, g.pick("3", "4", g.local()), g.pick("has", "!has"))
		g.block(1)
		c.orElse()
	default:
		g.p("if _, has := sm.LoadAndDelete(%s); has {", key)
		g.block(1)
		c.orElse()
	}
}

// orElse ends an if statement.
func (c choiceGenerator) orElse() {
	g := c.g
	if g.rng.IntN(2) == 0 {
		g.p("} else {")
		g.block(1)
	}
	g.p("}")
}

func (c choiceGenerator) contextStmt() {
	g := c.g
	switch g.rng.IntN(8) {
	case 0, 1:
		g.p("cancel()")
	case 2:
		g.p("if ctx.Err() %s nil {", g.pick("==", "!="))
		g.block(1)
		c.orElse()
	case 3, 4:
		g.p("select {")
		g.p("case <-ctx.Done():")
		g.block(1)
		g.p("default:")
		g.block(1)
		g.p("}")
	case 5:
		g.p("<-ctx.Done()")
	case 6:
		g.p("select {")
		g.p("case <-ctx.Done():")
		g.block(1)
		g.p("case %s = <-ch:", g.pick("a", "x", "b"))
		g.p("}")
	default:
		if g.depth > 0 || g.child {
			g.p("if ctx.Err() != nil { %s = %s }", g.shared(), g.local())
			return
		}
		g.child = true
		g.p("sub, stop := context.WithCancel(ctx)")
		g.statement()
		g.p("if sub.Err() != nil { %s = %s }", g.shared(), g.local())
		g.p("%s", g.pick("stop()", "_ = stop", "select { case <-sub.Done(): y = 1; default: stop() }"))
	}
}

func (c choiceGenerator) poolStmt() {
	g := c.g
	switch g.rng.IntN(6) {
	case 0:
		g.p("%s.Put(%s)", g.pick("pool", "bare"), g.pick("q", "&T{a: a}", "&t"))
	case 1:
		g.p("bare.Put(&T{b: %s})", g.expr(0))
	case 2, 3:
		g.p("{")
		g.depth++
		g.p("o := pool.Get().(*T)")
		g.p("%s", g.pick("a = o.a", "o.a = b", "o.a++", "x = o.b"))
		g.p("%s", g.pick("pool.Put(o)", "pool.Put(o)", "bare.Put(o)", "o.b = 1", "pool.Put(o); o.a = 2"))
		g.depth--
		g.p("}")
	default:
		g.p("if o, has := bare.Get().(*T); has {")
		c.nested(g.rng.IntN(2), g.pick("a = o.a", "o.a = b", "x = o.b", "bare.Put(o)"))
		c.orElse()
	}
}

func (c choiceGenerator) timerStmt() {
	g := c.g
	if g.timers++; g.timers > 2 || g.loop > 0 {
		g.p("%s = %s", g.shared(), g.local())
		return
	}
	switch g.rng.IntN(7) {
	case 0, 1:
		g.p("select {")
		g.p("case <-time.After(1):")
		g.block(1)
		g.p("%s", g.pick("case a = <-ch:", "case <-done:", "case ch <- b:", "default:"))
		g.block(1)
		g.p("}")
	case 2, 3:
		g.p("time.AfterFunc(1, func() { %s })", g.pick("x = 1", "y++", "a = x", "if x > 0 { y = 1 }", "mu.Lock(); x++; mu.Unlock()"))
	case 4:
		g.p("if tm := time.AfterFunc(1, func() { %s = 5 }); %stm.Stop() {", g.pick("x", "y", "z"), g.pick("", "", "x > 0 && ", "y == 2 && ", "len(ch) > 0 && "))
		g.block(1)
		c.orElse()
	case 5:
		g.p("{")
		g.depth++
		g.p("tm := time.NewTimer(1)")
		g.p("select {")
		g.p("case <-tm.C:")
		g.block(1)
		g.p("%s", g.pick("case b = <-ch:", "case <-done:", "default:"))
		g.p("if %stm.Stop() { %s = 2 }", g.pick("!", ""), g.pick("x", "y"))
		g.p("}")
		g.depth--
		g.p("}")
	default:
		g.p("<-time.After(1)")
	}
}
