package progtest

import "fmt"

func (g *generator) statement() {
	if g.budget--; g.budget < 0 {
		g.p("%s = %s", g.local(), g.shared())
		return
	}
	if g.has(Guards) {
		switch n := g.rng.IntN(10); {
		case n < 4:
			g.guardStmt()
			return
		case n < 8:
			g.topicStmt()
			return
		}
	}
	if g.has(choices) && g.rng.IntN(3) == 0 {
		choiceGenerator{g}.choiceStmt()
		return
	}
	if g.has(Texts) && g.rng.IntN(5) == 0 {
		g.textStmt()
		return
	}
	switch g.rng.IntN(24) {
	case 0, 1, 2:
		g.p("%s = %s", g.shared(), g.expr(1))
	case 3:
		if g.has(Dynamic) && g.rng.IntN(2) == 0 {
			g.dynamicStmt()
			return
		}
		g.p("%s = %s", g.local(), g.expr(2))
	case 4:
		g.p("%s%s", g.shared(), g.pick("++", "--", " += 2"))
	case 5:
		g.p("ok = %s", g.pick("true", "!ok", "x > 1"))
	case 6, 7, 8:
		g.ifStmt()
	case 9, 10:
		g.lockStmt()
	case 11, 12:
		g.chanStmt()
	case 13:
		g.pointerStmt()
	case 14:
		g.loopStmt()
	case 15:
		g.atomicStmt()
	case 16:
		g.otherStmt()
	case 17:
		if g.has(Dynamic) {
			g.dynamicStmt()
			return
		}
		g.callStmt()
	case 18:
		g.switchStmt()
	case 19:
		g.p("%s, %s = %s, %s", "a", g.pick("b", "x", "y"), g.expr(1), g.expr(0))
	default:
		g.p("%s = %s", g.pick("x", "y", "a", "b"), g.shared())
	}
}

func (g *generator) block(n int) {
	g.depth++
	for range n {
		g.statement()
	}
	g.depth--
}

func (g *generator) ifStmt() {
	if g.depth > 2 {
		g.p("a = x")
		return
	}
	g.p("if %s {", g.cond())
	g.block(1 + g.rng.IntN(2))
	if g.rng.IntN(2) == 0 {
		g.p("} else {")
		g.block(1)
	}
	g.p("}")
}

// guardStmt sets a number, or branches on one. The k of a goroutine is set by that goroutine alone,
// to 1, then 2, … outside of loops. So a goroutine that reads a number of k knows what the other
// one has done before.
func (g *generator) guardStmt() {
	if g.depth > 1 || g.rng.IntN(2) == 0 {
		g.setGuard()
		return
	}
	other := g.rng.IntN(g.k.Goroutines + 1)
	v := fmt.Sprintf("k%d", other)
	if other == g.worker || g.rng.IntN(3) == 0 {
		v = g.pick("x", "y", "z")
	}
	n := 1 + g.rng.IntN(3)
	cond := fmt.Sprintf("%s %s %d", v, g.pick(">=", ">=", "==", "==", ">", "!=", "<"), n)
	switch g.rng.IntN(6) {
	case 0:
		g.p("a = %s", v)
		cond = fmt.Sprintf("a%s >= %d", g.pick("", "*2", "*a", "-1"), n)
	case 1:
		g.p("b += %s", v)
		cond = fmt.Sprintf("b > %d", n)
	case 2:
		cond = fmt.Sprintf("%s != 0 && %s", v, cond)
	}
	g.p("if %s {", cond)
	g.block(1 + g.rng.IntN(2))
	if g.rng.IntN(3) == 0 {
		g.p("} else {")
		g.block(1)
	}
	g.p("}")
}

func (g *generator) topicStmt() {
	switch g.rng.IntN(5) {
	case 0, 1:
		g.p("%s = %s", g.topic, g.pick("a", "b", "7", "8"))
	case 2:
		g.p("%s++", g.topic)
	default:
		g.p("%s = %s", g.pick("a", "b"), g.topic)
	}
}

func (g *generator) setGuard() {
	if g.loop > 0 || g.depth > 0 || g.rng.IntN(6) == 0 {
		g.p("%s = %d", g.pick("x", "y", "y", "z"), g.rng.IntN(4))
		return
	}
	g.set++
	g.p("k%d = %d", g.worker, g.set)
}

func (g *generator) switchStmt() {
	if g.depth > 1 {
		g.p("b = y")
		return
	}
	g.p("switch %s {", g.expr(1))
	g.p("case 0:")
	g.block(1)
	g.p("case %d:", 1+g.rng.IntN(3))
	g.block(1)
	if g.rng.IntN(2) == 0 {
		g.p("default:")
		g.block(1)
	}
	g.p("}")
}

func (g *generator) lockStmt() {
	if !g.has(Locks) || g.locked {
		g.p("%s = %s", g.shared(), g.local())
		return
	}
	lock, unlock := "mu.Lock()", "mu.Unlock()"
	switch g.rng.IntN(6) {
	case 0:
		lock, unlock = "nu.Lock()", "nu.Unlock()"
	case 1:
		lock, unlock = "rw.Lock()", "rw.Unlock()"
	case 2:
		lock, unlock = "rw.RLock()", "rw.RUnlock()"
	}
	g.locked = true
	g.p("%s", lock)
	for range 1 + g.rng.IntN(2) {
		g.statement()
	}
	g.p("%s", unlock)
	g.locked = false
}

func (g *generator) chanStmt() {
	if !g.has(Channels) {
		g.p("%s = %s", g.shared(), g.expr(0))
		return
	}
	switch g.rng.IntN(8) {
	case 0, 1:
		g.p("ch <- %s", g.expr(0))
	case 2:
		g.p("%s = <-ch", g.pick("a", "x", "b"))
	case 3:
		g.p("select {")
		g.p("case a = <-ch:")
		g.block(1)
		g.p("default:")
		g.block(1)
		g.p("}")
	case 4:
		g.p("select {")
		g.p("case ch <- %s:", g.expr(0))
		g.p("default:")
		g.block(1)
		g.p("}")
	case 5:
		if g.worker == 1 && g.loop == 0 {
			g.p("close(done)")
			return
		}
		g.p("<-done")
	case 6:
		g.p("select {")
		g.p("case b = <-ch:")
		g.p("case <-done:")
		g.block(1)
		g.p("}")
	case 7:
		g.p("if v, open := <-ch; open {")
		g.depth++
		g.p("x = v")
		g.depth--
		g.p("}")
	}
}

func (g *generator) pointerStmt() {
	if !g.has(Pointers) {
		g.p("%s = %s", g.local(), g.shared())
		return
	}
	switch g.rng.IntN(9) {
	case 0, 1:
		g.p("p = %s", g.pick("&x", "&y", "&t.a", "&arr[1]", "new(int)"))
	case 2:
		g.p("*p = %s", g.expr(1))
	case 3:
		g.p("q = %s", g.pick("&t", "&T{a: 1}", "&T{n: q}", "q.n", "t.n"))
	case 4:
		g.p("q.n = %s", g.pick("&t", "q", "&T{b: a}", "nil"))
	case 5:
		g.p("if q.n != nil {")
		g.depth++
		g.p("q.n.a = %s", g.expr(0))
		g.depth--
		g.p("}")
	case 6:
		g.p("{ l := p; *l = %s }", g.expr(1))
	case 7:
		g.p("t = T{a: %s, n: q}", g.expr(0))
	case 8:
		g.p("{ d := *q; a = d.a + d.b }")
	}
}

func (g *generator) loopStmt() {
	if !g.has(Loops) || g.loop > 0 {
		g.p("x = %s", g.expr(1))
		return
	}
	g.loop++
	switch g.rng.IntN(3) {
	case 0:
		g.p("for i := 0; i < %d; i++ {", 1+g.rng.IntN(3))
		g.block(1)
		g.p("}")
	case 1:
		g.p("for i := range %s & 3 {", g.shared())
		g.depth++
		g.p("%s += i", g.pick("a", "x"))
		g.depth--
		g.p("}")
	case 2:
		g.p("for i := 0; i < 2 && %s; i++ {", g.cond())
		g.block(1)
		g.p("}")
	}
	g.loop--
}

func (g *generator) atomicStmt() {
	if !g.has(Atomics) {
		g.p("y = %s", g.expr(1))
		return
	}
	switch g.rng.IntN(7) {
	case 0:
		g.p("atomic.StoreInt32(&f, 1)")
	case 1:
		g.p("if atomic.LoadInt32(&f) == 1 {")
		g.block(1)
		g.p("}")
	case 2:
		g.p("n.Add(1)")
	case 3:
		g.p("a = int(n.Swap(%d))", g.rng.IntN(3))
	case 4:
		g.p("if n.CompareAndSwap(%d, 2) {", g.rng.IntN(2))
		g.block(1)
		g.p("}")
	case 5:
		g.p("n.Store(int64(%s))", g.expr(0))
	case 6:
		g.p("f = %d", g.rng.IntN(2))
	}
}

func (g *generator) otherStmt() {
	var list []string
	if g.has(Strings) {
		list = append(list, `s = "ab"`, `s = "b"`, `if len(s) < 4 { s += "c" }`, `s = s[:1]`, `if len(s) > 1 { a = int(s[1]) }`)
	}
	if g.has(Floats) {
		list = append(list, "fl *= 2", "fl = float64(x)", "fl /= float64(y)", "fl = -fl")
	}
	if g.has(Arith) {
		list = append(list, "i8 += 100", "i8 = int8(x)", "u = uint32(y)", "u--", "u <<= 31", "i8 >>= 1", "a = 7 / x", "i8 = -i8")
	}
	if g.has(Arrays) {
		list = append(list, "arr = [3]int{a, b}", "sl = arr[1:]", "a = len(sl)", "sl = sl[:1]", "b = arr[a&3]")
	}
	if len(list) == 0 {
		list = []string{"z = a", "a = z"}
	}
	g.p("%s", g.pick(list...))
}

// dynamicStmt sets or calls a function value or an interface.
func (g *generator) dynamicStmt() {
	switch g.rng.IntN(18) {
	case 0:
		g.p("fn = %s", g.pick("add", "func(v, w int) int { return v - w }", "func(v, w int) int { y = v; return w }"))
	case 1:
		g.p("{ k := %s; fn = func(v, w int) int { return k + v } }", g.expr(0))
	case 2, 3, 4:
		g.p("%s = fn(%s, %s)", g.pick("a", "x"), g.expr(0), g.local())
	case 5:
		g.p("if fn != nil { %s = fn(1, %s) }", g.pick("b", "y"), g.expr(0))
	case 6:
		g.p("{ m := t.sum; if %s { m = q.sum }; a = m() }", g.cond())
	case 7:
		g.p("in = %s", g.pick("&t", "N(2)", "q", "nil", "N(x)"))
	case 8, 9:
		g.p("%s = in.get()", g.pick("a", "y"))
	case 10:
		g.p("in.set(%s)", g.expr(0))
	case 11:
		g.p("if v, k := in.(*T); k { %s = v.a }", g.pick("b", "z"))
	case 12:
		g.p("if v, k := in.(N); k { x = int(v) + 1 } else { z = 2 }")
	case 13:
		g.p("e = %s", g.pick("x", "&t", "N(1)", "in", "nil"))
	case 14:
		g.p("switch v := e.(type) { case int: a = v; y = 1; case *T: v.b = a; case S: b = v.get(); default: z = 3 }")
	case 15:
		g.p("if %s { in = &t }; if in != nil { in.set(1) }", g.cond())
	case 16:
		g.p("func() { h := func() { x = a }; if %s { h = func() { y = b } }; defer h(); z = 1 }()", g.cond())
	case 17:
		if g.worker > 0 && g.k.Goroutines < 3 && g.loop == 0 {
			cond, v := g.cond(), g.expr(0)
			if g.worker%2 == 0 {
				g.p("{ h := func() { z = x }; if %s { h = func() { y++ } }; wg.Go(h) }", cond)
				return
			}
			g.p("wg.Add(1)")
			g.p("{ h := func(v int) { z = v; wg.Done() }; if %s { h = func(v int) { y = v + a; wg.Done() } }; go h(%s) }", cond, v)
			return
		}
		g.p("{ h := add; if %s { h = fn }; b = h(a, 2) }", g.cond())
	}
}

func (g *generator) callStmt() {
	if !g.has(Calls) {
		g.p("b = %s", g.expr(1))
		return
	}
	switch g.rng.IntN(6) {
	case 0:
		g.p("%s = add(%s, %s)", g.pick("x", "a"), g.expr(0), g.expr(0))
	case 1:
		g.p("inc(&%s)", g.pick("x", "y", "z"))
	case 2:
		g.p("func() { a += %s }()", g.shared())
	case 3:
		g.p("{ fn := func() int { return %s }; b = fn() }", g.expr(1))
	case 4:
		g.p("{ fn := add; if ok { fn = func(v, w int) int { return v } }; a = fn(%s, b) }", g.expr(0))
	case 5:
		if g.worker > 0 && g.k.Goroutines < 3 && g.loop == 0 {
			name, v := g.pick("z", "y"), g.expr(0)
			if g.worker%2 == 0 {
				g.p("wg.Go(func() { %s = x })", name)
				return
			}
			g.p("wg.Add(1)")
			g.p("go func(v int) { %s = v; wg.Done() }(%s)", name, v)
			return
		}
		g.p("y = t.sum()")
	}
}
