package online

import (
	"testing"
)

// BenchmarkAppend is what an encoder does with its buffer: texts that begin and end inside words,
// and single bytes between them, from three places in the code; another epoch each time.
func BenchmarkAppend(b *testing.B) {
	const texts, size = 200, 55
	g := newBenchG()
	at := uintptr(1) << 32
	defer cpu(b, b.N*texts)()
	for range b.N {
		p := at
		for range texts {
			g.one(p, 1, ftWrites)
			p++
			g.run(p, size, 2, ftWrites)
			p += size
			g.one(p, 3, ftWrites)
			g.one(p+1, 4, ftWrites)
			p += 2
		}
		g.run(at, p-at, 5, ftReads) // written out
		g.tick()
	}
}

// BenchmarkReadBytes is a loop over the bytes of texts, each text in an epoch of its own.
func BenchmarkReadBytes(b *testing.B) {
	const size = 61
	g := newBenchG()
	at := uintptr(1) << 32
	defer cpu(b, b.N*size)()
	for i := range b.N {
		p := at + uintptr(i%1000*size)
		if i%1000 < 500 {
			g.run(p, size, 1, ftWrites)
			g.tick()
		}
		for j := range uintptr(size) {
			g.one(p+j, 2, ftReads)
		}
		g.tick()
	}
}

func newBenchG() *ftG {
	ftInitSlots()
	ftInitShadow()
	ftSlots.alive = 1 << 20
	g := new(ftG)
	g.start(nil, ftWho{goid: 1})
	g.arrive()
	return g
}

// one is ftOne of the program, behind the hook.
func (g *ftG) one(addr uintptr, site uint64, kind uint8) {
	if c := ftCellAt(addr &^ 7); c != nil { // the hook's
		if w := ftLoad64(&c.w); w&ftFull != 0 && g.same(w) || kind == ftReads && c.read(&g.ftThread) {
			return
		}
		if addr&7 != 0 {
			p := (*ftGroupsOf(addr)).of(ftLocOf(addr))
			if p == ftOwnCell && (g.same(c.w) || kind == ftReads && g.same(c.r)) {
				return
			}
			if p != 0 && p != ftOwnCell {
				if d := ftGroupCell(addr, p); g.same(d.w) || kind == ftReads && g.same(d.r) {
					return
				}
			}
		} else if g.same(c.w) || kind == ftReads && g.same(c.r) {
			return
		}
	}
	if addr&7 == 0 && g.quick(addr, site, kind) || addr&7 != 0 && g.quickPart(addr&^7, ftLocOf(addr), site, kind) {
		return
	}
	g.rules(&ftAccess{addr: addr, site: site, kind: kind})
}

// run is ftRun of the program.
func (g *ftG) run(addr, n uintptr, site uint64, kind uint8) {
	if k := g.quickSpan(addr, n, site, kind); k != n {
		g.span(ftAccess{addr: addr + k, site: site, kind: kind}, n-k)
	}
}

// BenchmarkHistory is reads of what thirty goroutines read, each in another epoch.
func BenchmarkHistory(b *testing.B) {
	const words = 16
	list := []*ftG{newBenchG()}
	for i := range 29 {
		g := new(ftG)
		g.start(nil, ftWho{goid: uint64(i + 2)})
		g.arrive()
		list = append(list, g)
	}
	at := uintptr(1) << 32
	defer cpu(b, b.N*words)()
	for i := range b.N {
		g := list[i*7%len(list)]
		for w := range uintptr(words) {
			g.one(at+w*8, 1, ftReads)
		}
		g.tick()
	}
}

// BenchmarkLock is a lock that goroutines take and release, with a write of what it protects and
// one outside: one goroutine alone, or two in turn.
func BenchmarkLock(b *testing.B) {
	defer func() { ftFilter = false }()
	for _, name := range []string{"none/alone", "tree/alone", "none/turns", "tree/turns"} {
		b.Run(name, func(b *testing.B) {
			ftFilter = name[:4] == "tree"
			list := []*ftG{newBenchG()}
			if name[5:] == "turns" {
				g := new(ftG)
				g.start(nil, ftWho{goid: 2})
				g.arrive()
				list = append(list, g)
			}
			at := uintptr(1) << 32
			o := &ftObject{key: uint64(at) << 3}
			defer cpu(b, b.N*100)()
			for i := range b.N * 100 {
				g := list[i%len(list)]
				g.one(at+64+uintptr(g.who.goid)*8, 1, ftWrites)
				o.lock(&g.ftThread, true, false)
				if !o.again(&g.ftThread, at, ftAtomicWrites) {
					g.access(&ftAccess{addr: at, site: 2, kind: ftAtomicWrites})
				}
				g.one(at+8, 3, ftWrites)
				o.lock(&g.ftThread, false, false)
			}
		})
	}
}
