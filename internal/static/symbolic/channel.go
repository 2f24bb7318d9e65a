package symbolic

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// chans executes operations of channels.
type chans struct {
	table    *path.Table
	values   *values
	accesses *accesses
	sharing  *sharing
	joins    *joins
	syncs    *syncs
	draft    *draft
	// channels that the function both sends to and receives from (SY4)
	both map[ssa.Value]bool
}

// mutexes finds the channels that the function both sends to and receives from (SY4).
func (cs *chans) mutexes() {
	sends, receives := map[ssa.Value]bool{}, map[ssa.Value]bool{}
	for _, b := range cs.values.fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Go:
				cs.draft.forks = true
			case *ssa.Send:
				sends[holder(in.Chan)] = true
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					receives[holder(in.X)] = true
				}
			case *ssa.Select:
				for _, st := range in.States {
					if st.Dir == types.SendOnly {
						sends[holder(st.Chan)] = true
					} else {
						receives[holder(st.Chan)] = true
					}
				}
			}
		}
	}
	cs.both = map[ssa.Value]bool{}
	for v := range sends {
		cs.both[v] = receives[v]
	}
}

// holder is the variable that a channel was read from, or the channel itself.
func holder(ch ssa.Value) ssa.Value {
	if u, ok := ch.(*ssa.UnOp); ok && u.Op == token.MUL {
		return u.X
	}
	return ch
}

// send releases the channel, and acquires what its receivers have released.
func (cs *chans) send(s *state, in ssa.Instruction, ch, x ssa.Value) {
	for _, c := range cs.values.channels(s, ch) {
		cs.accesses.access(s, in, cs.table.Field(c, "chan.state"), summary.Read)
		cs.sharing.sent(s, c, cs.values.eval(s, x))
		cs.accesses.fill(s, c, cs.values.eval(s, x))
		if cs.both[holder(ch)] && (c.Buffer() == 1 || c.Buffer() < -1) {
			cs.toggle(s, c)
		}
		if c.Buffer() != -1 {
			cs.syncs.acquire(s, in, cs.table.Of(path.Recv, c, ""), 1)
		}
		cs.syncs.release(s, cs.table.Of(path.Token, c, "chan"), 1)
	}
}

// receive acquires the channel and releases its senders.
func (cs *chans) receive(s *state, in ssa.Instruction, ch ssa.Value) {
	from := cs.values.channels(s, ch)
	for _, c := range from {
		if cs.both[holder(ch)] && (c.Buffer() == 1 || c.Buffer() < -1) {
			cs.toggle(s, c)
		}
		cs.syncs.release(s, cs.table.Of(path.Recv, c, ""), 1)
		if len(from) == 1 {
			sent := cs.table.Of(path.Token, c, "chan")
			cs.syncs.acquire(s, in, sent, 1)
			cs.joins.received(s, sent)
		}
	}
	if v := cs.values.variable(s, ch, in); v != nil {
		cs.joins.await(s, v)
	}
}

// toggle takes or gives back a channel used as a mutex (SY4).
func (cs *chans) toggle(s *state, c *path.Node) {
	l := cs.table.Of(path.Token, c, "mutex")
	if _, held := s.locks.Plus[l]; held {
		s.locks = s.locks.Release(l)
	} else {
		s.locks = s.locks.Acquire(l, lockset.Write)
	}
}
