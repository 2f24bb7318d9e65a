package window

// Initial values (MO12). What a location holds before its first access in a window is known
//
//   - from the last access before it in the trace (carry);
//   - without an access since its allocation, to be zero, if the Alloc says so (FlagZero) and
//     traced code has asked for the memory. Outside code fills what it allocates;
//   - for a package-level variable without any access, from what package initialisation has left
//     there (Meta.Variables).
//
// Outside code may have written since then without a record (WI3). It has not, if several
// goroutines access the location in the window and one of them writes. The turn of the write has
// ended then. So the trace has the late record of its last write after it, and the value counts as
// unknown.
//
// Otherwise the location holds what the first inside read of the window finds there, before any
// write. If there is no such read, the value is unknown: no read of it is intact except reads of
// outside code, and no guard that depends on it holds.

// begun takes the package-level variables into the state before the buffer, once package
// initialisation is over (MO12).
func (b *state) begun(index int64) {
	meta := b.opt.Meta
	if b.seeded || meta == nil || b.opt.NoValues || index < meta.VariablesAt {
		return
	}
	b.seeded = true
	tick := b.carry.runs.tick
	for i := range b.buf {
		if b.showsOutside(&b.buf[i].Event) {
			tick++
		}
	}
	for _, v := range meta.Variables {
		for i, x := range v.Data {
			b.carry.mem.set(uint64(v.Addr)+uint64(i), uint64(x), 1<<((uint64(v.Addr)+uint64(i))&7), tick)
		}
	}
}

// unreadable is a number that programs hardly ever have in memory. It is the value of an event
// whose value is unknown; the event's ValDeps or its object's Unknown make it so.
const unreadable = uint64(1)<<63 | 0x5eed

// unread gives an atom with an unknown initial value a number that no read returns.
func (a *atom) unread() {
	v := unreadable
	for again := true; again; {
		again = false
		for _, x := range a.reads {
			if x == v {
				v, again = v+1, true
			}
		}
	}
	a.initial, a.unknown, a.reads = v, true, nil
}
