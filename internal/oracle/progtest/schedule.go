package progtest

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
)

// A Step is one that is possible.
type Step struct {
	By     []trace.GoID // the goroutine that takes it, or the sender and the receiver that meet
	Site   trace.Site   // of the instruction
	Access bool         // of memory
	First  bool         // the first piece of an access
	Starts bool         // the goroutine begins
	Fires  bool         // a timer
	Ends   bool         // the program: main returns, or a goroutine panics
	Panics bool
	// Default is that of a select. Cases are the numbers of the cases of those in By that are in a
	// select, from 1 on.
	Default bool
	Cases   [2]uint64
}

// A Wait is a goroutine whose next operation may have to wait.
type Wait struct {
	G   trace.GoID
	For []Object // a select has several
}

// An Object is a channel, a lock, a WaitGroup or a Once.
type Object struct {
	Addr trace.Addr
	Op   Op
	Case uint64 // of a select, from 1 on
}

// An Op is an operation that may have to wait.
type Op uint8

// The operations that may have to wait, besides Cond.Wait.
const (
	Receive Op = iota
	Send
	Lock
	RLock
	WaitGroupWait
	Once
)

// RecordBy executes the program under the choices of pick. That is given the run so far, the steps
// that are possible, and what each goroutine is about to wait for. It returns the number of the
// step. At the end there is no step, and the result does not matter.
func (p *Program) RecordBy(pick func(r *Run, steps []Step, waits []Wait) int) (*Run, error) {
	return p.recordAt(func(r *Run, e *enabled, ts []transition) int {
		steps := make([]Step, len(ts))
		for i := range ts {
			steps[i] = e.step(&ts[i])
		}
		return pick(r, steps, e.waits())
	})
}

func (e *enabled) step(t *transition) Step {
	o := &t.op
	s := Step{By: []trace.GoID{trace.GoID(t.g + 1)}}
	switch o.kind {
	case opAccess:
		s.Access, s.First = !o.pseudo, o.done == 0
	case opStart:
		s.Starts = true
	case opFire:
		s.Fires = true
	case opExit:
		s.Ends = true
	case opPanic:
		s.Ends, s.Panics = true, true
	case opSelect:
		s.Default = t.c < 0
	case opSend, opRecv:
		s.Cases = [2]uint64{uint64(t.c + 1), uint64(t.hc + 1)}
	}
	if t.h >= 0 {
		s.By = append(s.By, trace.GoID(t.h+1))
	}
	if o.ins != nil {
		s.Site = o.ins.site()
	}
	return s
}

// waiting are the operations on one object that a goroutine may wait in.
var waiting = map[opKind]Op{
	opRecv: Receive, opSend: Send, opLock: Lock, opRLock: RLock, opWait: WaitGroupWait, opOnce: Once,
}

// waits returns what the goroutines may wait for.
func (e *enabled) waits() (list []Wait) {
	for i := range e.ops {
		o := &e.ops[i]
		w := Wait{G: trace.GoID(i + 1)}
		add := func(op Op, addr uint64, number int) {
			if addr != 0 {
				w.For = append(w.For, Object{trace.Addr(addr), op, uint64(number)})
			}
		}
		if op, ok := waiting[o.kind]; ok {
			add(op, o.addr, 0)
		}
		if o.kind == opSelect && o.ins.in.(*ssa.Select).Blocking {
			for k, st := range o.ins.in.(*ssa.Select).States {
				op := Receive
				if st.Dir == types.SendOnly {
					op = Send
				}
				add(op, e.s.gs[i].arg1(e.s.gs[i].top(), &o.ins.args[2*k]), k+1)
			}
		}
		if len(w.For) > 0 {
			list = append(list, w)
		}
	}
	return list
}
