package runtime

import "unsafe"

// Memory for what sets have: pairs of words, in blocks by size, for all sets together.

// A pgBlock is memory for n pairs of words; of what sets depend on, for n pgDeps.
type pgBlock struct {
	at       uintptr
	n, class int32
}

func (b *pgBlock) pairs() [][2]uintptr {
	return unsafe.Slice((*[2]uintptr)(unsafe.Pointer(b.at)), b.n)
}

func (b *pgBlock) deps() []pgDep { return unsafe.Slice((*pgDep)(unsafe.Pointer(b.at)), b.n) }

// set makes the block a copy of list, if there is memory.
func (b *pgBlock) set(list [][2]uintptr) bool {
	size, class := uintptr(pgSmallest), int32(0)
	for size < uintptr(len(list))*16 {
		size, class = size*2, class+1
	}
	if b.at == 0 || b.class != class {
		b.free()
		if b.at = pgBlockOf(size, class); b.at == 0 {
			return false
		}
		b.class = class
	}
	if len(list) > 0 {
		memmove(unsafe.Pointer(b.at), unsafe.Pointer(&list[0]), uintptr(len(list))*16)
	}
	b.n = int32(len(list))
	return true
}

// setDeps is set, of what a set depends on.
func (b *pgBlock) setDeps(list []pgDep) bool {
	if len(list) > 0 && !b.set(unsafe.Slice((*[2]uintptr)(unsafe.Pointer(&list[0])), (len(list)+1)/2)) {
		// of an array of an even number
		return false
	}
	b.n = int32(len(list))
	return true
}

// clear makes the block empty, and keeps it if it is small.
func (b *pgBlock) clear() {
	if b.n = 0; b.class > pgLittle {
		b.free()
	}
}

func (b *pgBlock) free() {
	if b.at == 0 {
		return
	}
	lock(&presage.mu)
	pgStore(b.at, uint64(presageReach.blocks[b.class]))
	presageReach.blocks[b.class] = b.at
	unlock(&presage.mu)
	*b = pgBlock{}
}

// pgBlockOf returns memory of a size, 0 if sets have enough.
func pgBlockOf(size uintptr, class int32) uintptr {
	lock(&presage.mu)
	at := presageReach.blocks[class]
	if at != 0 {
		presageReach.blocks[class] = pgWord(at)
	} else if presageReach.used+size <= pgMemory {
		presageReach.used += size
		at = uintptr(persistentalloc(size, 8, &memstats.other_sys))
	}
	unlock(&presage.mu)
	return at
}

// pgSum is a number that the memory has which a walk has noted, in whatever order and pieces, and
// hardly any other; 0 for none. Where one piece ends and another begins, the place adds what it
// takes away.
func pgSum(parts [][2]uintptr) (h uint64) {
	for i := range parts {
		from, n := parts[i][0], parts[i][1]
		h += pgMix(uint64(from+n)) - pgMix(uint64(from))
	}
	return h
}

func pgMix(x uint64) uint64 {
	x *= 0x9E3779B97F4A7C15
	x = (x ^ x>>29) * 0xBF58476D1CE4E5B9
	return x ^ x>>32
}
