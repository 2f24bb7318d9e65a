package runtime

import "unsafe"

// Memory for what sets have: pairs of words, in blocks by size, for all sets together.

// A pgBlock is memory for pairs of words.
type pgBlock struct {
	at    uintptr
	n     int
	class int
}

func (b *pgBlock) pair(i int) [2]uintptr {
	return *(*[2]uintptr)(unsafe.Pointer(b.at + uintptr(i)*16))
}

// set makes the block a copy of list, if there is memory.
func (b *pgBlock) set(list [][2]uintptr) bool {
	size, class := uintptr(pgSmallest), 0
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
	for i := range list {
		*(*[2]uintptr)(unsafe.Pointer(b.at + uintptr(i)*16)) = list[i]
	}
	b.n = len(list)
	return true
}

func (b *pgBlock) same(list [][2]uintptr) bool {
	if b.at == 0 || b.n != len(list) {
		return false
	}
	for i := range list {
		if b.pair(i) != list[i] {
			return false
		}
	}
	return true
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
func pgBlockOf(size uintptr, class int) uintptr {
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
