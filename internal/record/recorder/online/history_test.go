package online

import "testing"

// TestHistoryFront: in a history of many reads, the same-epoch rules find the last read wherever it
// was in the history, and a write is checked against the last read of each.
func TestHistoryFront(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	ftSlots.alive = 1 << 20
	const n, at = 3 * ftFront, uintptr(1) << 33
	var list [n]*ftG
	for i := range list {
		list[i] = new(ftG)
		list[i].start(nil, ftWho{goid: uint64(i + 1)})
		list[i].arrive()
	}
	read := func(g *ftG) { g.access(&ftAccess{addr: at, kind: ftReads, site: 1 | ftFull}) }
	for round := range 5 {
		for i := range list {
			g := list[(i*5+round)%n]
			read(g)
			d := ftHistoryOf(ftCellAt(at).r)
			if round == 0 && i == 0 {
				continue // no history yet
			}
			if d == nil || !d.has(&g.ftThread, true) {
				t.Fatalf("round %d: the read of goroutine %d is not in front", round, g.goid)
			}
			if k := int(d.n); round > 0 && k != n {
				t.Fatalf("round %d: %d reads in the history, want %d", round, k, n)
			}
			g.tick()
		}
	}
	for late := range list { // a writer that knows of every read but the last one of one slot
		w := new(ftG)
		w.start(nil, ftWho{goid: 1000})
		w.arrive()
		for i, g := range list {
			k := g.clock - 1 // that of its last read
			if i == late {
				k--
			}
			w.vc.set(g.slot, k)
		}
		a := ftAccess{addr: at, kind: ftWrites, site: 2 | ftFull}
		d := ftHistoryOf(ftCellAt(at).r)
		for i := range d.n {
			w.check(d.list[i], ftKindOf(d.list[i]), &a)
		}
		if w.stats.checksFailed != 1 || ftSlotOf(w.found[0].old) != list[late].slot {
			t.Errorf("a writer that does not know of the last read of goroutine %d: %d checks failed", list[late].goid, w.stats.checksFailed)
		}
	}
}
