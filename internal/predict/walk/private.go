package walk

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
)

// A privateVariable is a variable in memory that no code reaches but walked functions (WA3). It is
// known as one until its frame is left, or its memory is allocated anew: the garbage collector may
// free it before.
type privateVariable struct {
	frame      int // the number of the frame that has allocated it
	addr, size uint64
	freed      bool
}

// privates are the private variables of one goroutine, in the order of their frames.
type privates struct {
	all  *privateMemory
	list []*privateVariable
}

// privateMemory has the private variables of all goroutines, by page of their address.
type privateMemory map[uint64][]*privateVariable

const (
	maxPrivate  = 64 // private variables of one goroutine at a time
	privatePage = 13 // no private variable is larger than a page
)

// allocated notes a variable of frame number n.
func (p *privates) allocated(in *regcode.Instr, n int, at goval.Value) {
	addr, ok := at.Bits()
	if !ok || !in.Stays || in.Elem <= 0 || in.Elem > 1<<privatePage || len(p.list) >= maxPrivate {
		return
	}
	v := &privateVariable{frame: n, addr: addr, size: uint64(in.Elem)}
	p.list = append(p.list, v)
	(*p.all)[addr>>privatePage] = append((*p.all)[addr>>privatePage], v)
}

// left ends the variables of the frames from number n up.
func (p *privates) left(n int) {
	for k := len(p.list) - 1; k >= 0 && p.list[k].frame >= n; k-- {
		v, no := p.list[k], p.list[k].addr>>privatePage
		rest := slices.DeleteFunc((*p.all)[no], func(o *privateVariable) bool { return o == v })
		if (*p.all)[no] = rest; len(rest) == 0 {
			delete(*p.all, no)
		}
		p.list = p.list[:k]
	}
}

// has reports whether an address lies in one of the variables.
func (p *privates) has(addr uint64) bool {
	return slices.ContainsFunc(p.list, func(v *privateVariable) bool { return addr-v.addr < v.size && !v.freed })
}

// allocated ends the variables in memory that is allocated anew.
func (m privateMemory) allocated(addr, size uint64) {
	if len(m) == 0 || size == 0 {
		return
	}
	first, last := addr>>privatePage, (addr+size-1)>>privatePage
	end := func(list []*privateVariable) {
		for _, v := range list {
			v.freed = v.freed || addr < v.addr+v.size && v.addr < addr+size
		}
	}
	if last-first > uint64(len(m)) {
		for _, list := range m { // the order does not matter
			end(list)
		}
		return
	}
	for no := first - min(first, 1); no <= last; no++ {
		end(m[no])
	}
}
