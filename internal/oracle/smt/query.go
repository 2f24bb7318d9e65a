package smt

import (
	"math/bits"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// query is the formula for one pair of a window. It has the conditions under which events are
// enabled; its parts have what the conditions are about.
type query struct {
	ev     *events
	script *script
	pos    *positions
	reads  *reads
	terms  *terms
	mem    *memory
	chans  *channels
	conds  *conds
}

func newQuery(w *model.Window, p model.Pair) *query {
	q := &query{ev: newEvents(w, p), script: &script{names: map[string]bool{}}}
	q.pos = &positions{ev: q.ev, script: q.script, width: bits.Len(uint(len(w.Events) + 1)), compared: map[[2]int32]bool{}}
	q.reads = &reads{ev: q.ev, script: q.script, pos: q.pos}
	q.terms = &terms{ev: q.ev, script: q.script, reads: q.reads}
	q.mem = &memory{ev: q.ev, script: q.script, pos: q.pos, reads: q.reads, terms: q.terms}
	q.chans = &channels{ev: q.ev, script: q.script, pos: q.pos}
	q.conds = &conds{ev: q.ev, script: q.script, pos: q.pos}
	return q
}

// encode writes the query.
func (q *query) encode() {
	for _, t := range q.ev.threads {
		for _, e := range t {
			q.reach(e)
			q.step(e, &q.ev.w.Events[e])
		}
	}
	q.race()
}

// step is (MO5): e is enabled in the state before it.
func (q *query) step(i int32, e *model.Event) {
	switch e.Kind {
	case format.Read, format.AtomicRead, format.AtomicRMW:
		q.read(i, e)
	case format.Write, format.AtomicWrite: // always
	case format.Lock, format.Unlock, format.TryFail:
		q.lock(i, e)
	case format.WGAdd, format.WGWait:
		q.waitGroup(i, e)
	case format.OnceBegin, format.OnceEnd, format.OncePass:
		q.once(i, e)
	case format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast:
		q.conds.cond(i, e)
	case format.ChanSend:
		q.send(i, e)
	case format.ChanRecv:
		q.recv(i, e)
	case format.ChanClose:
		q.close(i, e)
	case format.ChanLen:
		q.length(i, e)
	case format.SelectDefault:
		q.selectDefault(i, e)
	case format.Join:
		q.join(i, e)
	case format.Go, format.Start, format.End, model.Pin: // (G) (P) always
	default:
		q.script.giveUp("the model has no event of kind %s", e.Kind)
	}
}
