package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// openType is the reason of a value whose size depends on type parameters.
const openType = "type-parameter"

// alloc allocates an object.
func (p *path) alloc(in *regcode.Instr, size int64) bool {
	if size < 0 || uint64(size) >= freshSize {
		return p.stop("allocation")
	}
	return p.next(in, known(p.memory.allocate()))
}

func (p *path) makeSlice(in *regcode.Instr, x *ssa.MakeSlice) bool {
	args := p.values(in.Args)
	n, ok := args[0].Concrete.Bits()
	c, ok2 := args[1].Concrete.Bits()
	s, slice := plan.Core(x.Type()).(*types.Slice)
	if !slice || plan.Open(s.Elem()) {
		return p.stop(openType)
	}
	elem := p.frame.Code.Sizes.Sizeof(s.Elem())
	if !ok || !ok2 || n > c || c*uint64(max(elem, 1)) >= freshSize {
		return p.stop("allocation")
	}
	return p.next(in, Value{Concrete: goval.Words([]uint64{p.memory.allocate(), n, c})})
}

// address returns the address of a load or store of size bytes through operand 0. ok is false if
// the path has ended.
func (p *path) address(in *regcode.Instr, size int64) (addr uint64, ok bool) {
	ptr := p.value(&in.Args[0]).Concrete
	if why := isPointer(ptr); why != "" {
		p.stop(why)
		return 0, false
	}
	addr, _ = ptr.Bits()
	switch {
	case size < 0:
		p.stop(openType)
		return 0, false
	case slices.ContainsFunc(p.x.fork.Stacks, func(s [2]uint64) bool { return addr >= s[0] && addr < s[1] }):
		p.stop("stack")
		return 0, false
	case addr < freshMemory && !p.memory.settled(addr):
		p.stop("reused-memory")
		return 0, false
	}
	return addr, true
}

// hooked reports whether an instruction's access is recorded.
func hooked(in *regcode.Instr, k format.Kind) bool {
	return slices.ContainsFunc(in.Wants, func(w regcode.Want) bool {
		return w.Kind == regcode.WantAccess && w.Hook.Kind == k && w.Hook.Extent == plan.Pointee
	})
}

// load loads from memory (AL1): it is an event for each word, or the content is known.
func (p *path) load(in *regcode.Instr) bool {
	addr, ok := p.address(in, in.Size)
	if !ok {
		return true
	}
	if v, ok := p.memory.load(trace.Event{G: p.g, Site: in.Site}, addr, in.Size); ok {
		return p.next(in, v)
	}
	if addr >= freshMemory || !hooked(in, format.Read) { // stored in parts, or not recorded
		return p.next(in, Value{})
	}
	var parts []goval.LoadPart
	for off := int64(0); off < in.Size; {
		n := wordAt(addr, off, in.Size)
		e := trace.Event{Kind: format.Read, Obj: trace.Addr(addr + uint64(off)), Size: uint16(n)}
		r, going := p.access(in, e, flow.Flow{}, true)
		if !going {
			return true
		}
		parts = append(parts, goval.LoadPart{Read: r, At: off, Size: n})
		off += n
	}
	if t := goval.LoadTerm(parts); t != nil {
		return p.next(in, Value{Term: t})
	}
	return p.next(in, Value{})
}

// store stores to memory (AL1).
func (p *path) store(in *regcode.Instr) bool {
	addr, ok := p.address(in, in.Size)
	if !ok {
		return true
	}
	v := p.value(&in.Args[1])
	switch {
	case addr >= freshMemory && p.memory.shared:
		return p.stop("shared-allocation")
	case addr < freshMemory && !hooked(in, format.Write):
		return p.stop("not-recorded")
	case addr < freshMemory && !p.writes(in, addr, v):
		return true
	}
	p.memory.store(addr, in.Size, v)
	p.frame.IP++
	return true
}

// writes makes the events of a store. It returns false if the path has ended at one that cannot be
// executed.
func (p *path) writes(in *regcode.Instr, addr uint64, v Value) bool {
	for off := int64(0); off < in.Size; {
		n := wordAt(addr, off, in.Size)
		f, word, ok := p.memory.write(v.piece(off, n))
		e := trace.Event{Kind: format.Write, Obj: trace.Addr(addr + uint64(off)), Size: uint16(n), Val: word}
		if _, going := p.access(in, e, f, ok); !going {
			return false
		}
		off += n
	}
	return true
}
