package walk

import (
	"math"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Function values. The trace has their addresses. The function, and what it has captured, is known
// of closures that walked code has made, and of functions that it has stored. An address has the
// same function value until its memory is allocated anew.

// A made is a function value that is known.
type made struct {
	addr  uint64
	fn    *ssa.Function
	free  []goval.Value // as recorded: the operands of a MakeClosure are pinned
	from  int64         // the event that has shown it
	until int64         // the event that allocates the memory anew
}

// facts has what the walk has learnt of function values and type words. It implements
// [alternative.Facts].
type facts struct {
	functions
	dynamics
}

// functions are the function values that are known, by page. Alternatives look them up while the
// walk continues.
type functions struct {
	mu    sync.Mutex
	pages map[uint64][]made
}

const (
	functionPage = 13
	functionAge  = 1 << 22 // events for which a function value is kept when its memory is reused
)

// add notes what is at an address from an event on.
func (k *functions) addFunction(m made) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pages == nil {
		k.pages = map[uint64][]made{}
	}
	no := m.addr >> functionPage
	list := k.pages[no]
	for i := range list {
		if list[i].addr == m.addr && list[i].until == math.MaxInt64 {
			if list[i].fn == m.fn && m.free == nil { // it captures nothing, and is static
				return
			}
			list[i].until = m.from
		}
	}
	m.until = math.MaxInt64
	k.pages[no] = append(slices.DeleteFunc(list, func(x made) bool { return x.until < m.from-functionAge }), m)
}

// allocated ends the function values in memory that is allocated anew.
func (k *functions) allocated(addr, size uint64, at int64) {
	if len(k.pages) == 0 || size == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	end := func(list []made) {
		for i := range list {
			if list[i].addr-addr < size && list[i].until == math.MaxInt64 {
				list[i].until = at
			}
		}
	}
	first, last := addr>>functionPage, (addr+size-1)>>functionPage
	if last-first > uint64(len(k.pages)) {
		for _, list := range k.pages { // the order does not matter
			end(list)
		}
		return
	}
	for no := first; no <= last; no++ {
		end(k.pages[no])
	}
}

// FunctionAt returns the function value at an address right before an event, with what it has
// captured.
func (k *functions) FunctionAt(addr uint64, event int64) (fn *ssa.Function, free []goval.Value, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range k.pages[addr>>functionPage] {
		if m.addr == addr && m.from < event && m.until >= event {
			return m.fn, m.free, true
		}
	}
	return nil, nil, false
}

// learnFunction notes a function value that an instruction has made or stored.
func (g *goroutine) learnFunction(f *Frame, in *regcode.Instr) {
	switch x := in.SSA.(type) {
	case *ssa.MakeClosure:
		m := made{fn: x.Fn.(*ssa.Function), from: g.event}
		for i := range x.Bindings {
			m.free = append(m.free, f.Value(&in.Args[1+i]))
		}
		g.learnAt(m, f.regs[in.Reg])
	case *ssa.Store:
		if fn := f.Value(&in.Args[1]).Function(); fn != nil && f.stage.known && len(f.stage.words) == 1 {
			g.learnAt(made{fn: fn, from: g.event}, goval.Known(f.stage.words[0]))
		}
	}
}

// learnAt notes a function value at an address that is not on a stack: stacks move.
func (g *goroutine) learnAt(m made, at goval.Value) {
	addr, ok := at.Bits()
	if !ok || addr < 4096 || slices.ContainsFunc(g.stacks, func(s [2]uint64) bool { return addr >= s[0] && addr < s[1] }) {
		return
	}
	m.addr = addr
	g.w.facts.addFunction(m)
}

// reallocated notes that memory is allocated anew.
func (w *Walker) reallocated(index int64, e *trace.Event) {
	if w.branching && e.Flags&format.FlagStack == 0 {
		w.facts.allocated(uint64(e.Obj), e.Val, index)
	}
}

// learnEntered notes the function value of a call that entered a function at once, if the function
// captures nothing and is no method.
func (g *goroutine) learnEntered(caller, f *Frame) {
	in := caller.Instr()
	fn := f.code.Plan.SSA
	if call, ok := in.SSA.(*ssa.Call); !ok || !g.w.branching || call.Call.IsInvoke() || !in.Dynamic || fn.Signature.Recv() != nil || len(fn.FreeVars) > 0 || plan.Generic(fn) {
		return
	}
	g.learnAt(made{fn: fn, from: g.event}, caller.Value(&in.Args[0]))
}

// expected returns the parameters of a frame that was entered with recorded parameters: the
// arguments of the go statement, or of the dynamic call that enters it at once (direct). It returns
// nil if they are not known, and for methods.
func (g *goroutine) expected(caller, f *Frame, direct bool) []goval.Value {
	switch {
	case caller == nil && len(g.started)+len(g.captured) == len(f.code.Args):
		return slices.Concat(g.started, g.captured)
	case !direct || f.code.Plan.SSA.Signature.Recv() != nil:
		return nil
	}
	in := caller.Instr()
	var list []goval.Value
	for i := range in.Args[1:] {
		list = append(list, caller.Value(&in.Args[i+1]))
	}
	if addr, ok := caller.Value(&in.Args[0]).Bits(); ok {
		if fn, free, ok := g.w.facts.FunctionAt(addr, g.event); ok && regcode.BoundMethod(fn) == nil {
			list = append(list, free...)
		}
	}
	if len(list) != len(f.code.Args) {
		return nil
	}
	return list
}
