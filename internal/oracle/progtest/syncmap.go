package progtest

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A sync.Map has a table of entries, one for each key. Its keys are small numbers. A recording has
// an atomic operation on the word of a key (package format), and what adds or removes a key lies
// between two ReleaseMerge events. The seed has none: the address of a map is not used again.
const (
	mapTable  = 16 // offset of the table
	mapKeys   = 16 // in a table
	entryData = 0  // in an entry: the value
	entrySize = 16
)

// slot returns where the table of the map has the entry of the key, and the word of the key.
func (u *outside) slot() (slot, word uint64) {
	m, key := u.arg(0)[0], u.arg(1)
	if m < nilPage {
		panic(isPanic{})
	}
	table := u.s.load(m+mapTable, 8)
	if table == 0 {
		table = u.g.alloc(8 * mapKeys)
		u.s.store(m+mapTable, 8, table)
	}
	if key[0] == 0 {
		panic(fault("a nil key"))
	}
	k := u.st.prog.inside(u.s, u.st.prog.typeOf(key[0]), key)[0]
	if k >= mapKeys {
		panic(fault("a large key"))
	}
	return table + 8*k, uint64(format.MapWords) + m<<8 + 8*k
}

// found returns the value of an entry.
func (u *outside) found(entry uint64) (t, d uint64) {
	if entry == 0 {
		return 0, 0
	}
	return *u.s.word(entry + entryData), *u.s.word(entry + entryData + 8)
}

// entry makes an entry with the value that is the last argument.
func (u *outside) entry() uint64 {
	v := u.arg(2)
	a := u.g.alloc(entrySize)
	*u.s.word(a + entryData), *u.s.word(a + entryData + 8) = v[0], v[1]
	return a
}

// numberOf is the number of the value of an entry: no address.
func numberOf(entry uint64) uint64 {
	if entry == 0 {
		return 0
	}
	return 1<<50 | entry
}

// record records an operation on the word of a key.
func (u *outside) record(word uint64, k format.Kind, flags format.Flags, val, aux uint64) {
	if u.st.rec != nil {
		u.st.rec.emit(trace.Event{Kind: k, Flags: flags, G: u.g.id(), Site: u.x.site(), Size: 8, Obj: trace.Addr(word), Val: val, Aux: aux})
	}
}

// becomes replaces the entry of a key.
func (u *outside) becomes(slot, word, was, now uint64, store bool) {
	keys := func() {
		if (was == 0) != (now == 0) {
			u.emit(trace.Event{Kind: format.ReleaseMerge, Obj: format.MapKeys + trace.Addr(u.arg(0)[0])})
		}
	}
	keys()
	u.s.store(slot, 8, now)
	if store {
		u.record(word, format.AtomicWrite, 0, numberOf(now), 0)
	} else {
		u.record(word, format.AtomicRMW, 0, numberOf(was), numberOf(now))
	}
	keys()
}

func (u *outside) mapLoad() {
	slot, word := u.slot()
	e := u.s.load(slot, 8)
	u.record(word, format.AtomicRead, 0, numberOf(e), 0)
	t, d := u.found(e)
	u.result(t, d, truth(e != 0))
}

func (u *outside) mapStore() {
	slot, word := u.slot()
	u.becomes(slot, word, u.s.load(slot, 8), u.entry(), true)
}

func (u *outside) mapLoadOrStore() {
	slot, word := u.slot()
	if e := u.s.load(slot, 8); e != 0 {
		u.record(word, format.AtomicRead, format.FlagTry, numberOf(e), 0)
		t, d := u.found(e)
		u.result(t, d, 1)
		return
	}
	u.becomes(slot, word, 0, u.entry(), false)
	v := u.arg(2)
	u.result(v[0], v[1], 0)
}

func (u *outside) mapDelete() {
	slot, word := u.slot()
	e := u.s.load(slot, 8)
	t, d := u.found(e)
	if e != 0 {
		u.becomes(slot, word, e, 0, false)
	} else {
		u.record(word, format.AtomicRead, format.FlagTry, 0, 0)
	}
	u.result(t, d, truth(e != 0))
}
