package offpath

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/flow"
)

// private is memory of the program that no other goroutine accesses in the window. A load of it is
// no step (CP5).
type private struct {
	assumes []flow.Assumption // what the alternative assumes to be there at the fork
	values  *valuation
	stored  map[uint64]storedByte // what the alternative has stored, by address
	strings map[uint64]string     // contents of strings that were stored, by address
	atomics []span                // what operations of sync/atomic have written: only steps load it
	loads   []span                // what was loaded: package window's events must not contradict it
}

type storedByte struct {
	b       byte
	unknown bool
}

// span is some bytes of memory.
type span struct{ addr, size uint64 }

func (s span) meets(t span) bool { return s.addr < t.addr+t.size && t.addr < s.addr+s.size }

// load returns n bytes that lie in one word. ok is false if the alternative neither has stored them
// nor assumes anything of them, or has written them by an operation of sync/atomic.
func (p *private) load(addr uint64, n int) (v value, ok bool) {
	if slices.ContainsFunc(p.atomics, span{addr, uint64(n)}.meets) {
		return unknown(n), false
	}
	p.loads = append(p.loads, span{addr, uint64(n)})
	v = unknown(n)
	left := 0
	for i := range n {
		b, ok := p.stored[addr+uint64(i)]
		switch {
		case !ok:
			left++
		case !b.unknown:
			v = v.with(i, number(uint64(b.b), 1))
		}
	}
	if left == 0 {
		return v, true
	}
	before, ok := p.assumed(addr, n)
	if !ok || !before.known() {
		return unknown(n), ok
	}
	for i := range n {
		if _, ok := p.stored[addr+uint64(i)]; !ok {
			v = v.with(i, before.part(i, 1))
		}
	}
	return v, true
}

// assumed returns what the alternative assumes to be in memory at the fork.
func (p *private) assumed(addr uint64, n int) (v value, ok bool) {
	k := slices.IndexFunc(p.assumes, func(a flow.Assumption) bool {
		return a.Addr <= addr && addr+uint64(n) <= a.Addr+uint64(a.Size)
	})
	if k < 0 {
		return value{}, false
	}
	a := &p.assumes[k]
	bits, known := a.Bits, true
	if a.Term != nil {
		bits, known = p.values.term(a.Term)
	}
	if !known {
		return unknown(n), true
	}
	return number(bits, int(a.Size)).part(int(addr-a.Addr), n), true
}

// text gives a loaded value the content that it had when it was stored, if it is a string.
func (p *private) text(addr uint64, v value) value {
	if s, ok := p.strings[addr]; ok && len(v.img) == stringSize {
		v.text = &s
	}
	return v
}

// stringSize is the size of a string: its pointer and its length.
const stringSize = 16

// store remembers what the alternative stores.
func (p *private) store(addr uint64, v value) {
	for at := range p.strings {
		if (span{at, stringSize}).meets(span{addr, uint64(len(v.img))}) {
			delete(p.strings, at)
		}
	}
	if v.text != nil {
		p.strings[addr] = *v.text
	}
	for i := range v.img {
		p.stored[addr+uint64(i)] = storedByte{v.img[i], v.unk != nil && v.unk[i]}
	}
}
