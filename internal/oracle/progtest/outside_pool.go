package progtest

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A sync.Pool points to its items: their number and the items, ordered by address. Get takes any
// item, or none: a pool may drop its items.
const (
	poolNew  = 32 // offset of New
	maxItems = 6
)

// items returns the items of a pool, nil if it has never had one.
func (s *state) items(pool uint64) (n *uint64, item func(i uint64) (typ, data *uint64)) {
	bag := *s.word(pool)
	if bag == 0 {
		return new(uint64), nil
	}
	return s.word(bag), func(i uint64) (typ, data *uint64) { return s.word(bag + 8 + 16*i), s.word(bag + 16 + 16*i) }
}

// poolSteps appends the steps of a Get: without an item, and with each.
func (e *enabled) poolSteps(t transition, out []transition) []transition {
	out = append(out, t)
	n, item := e.s.items(t.op.addr)
	var last uint64
	for i := range *n {
		if _, d := item(i); *d != last {
			last = *d
			t.op.item = int(i) + 1
			out = append(out, t)
		}
	}
	return out
}

// poolWord is the word that stands for an item of a pool (package format).
func poolWord(pool, item uint64) trace.Addr {
	return format.PoolWords + trace.Addr((pool*0x9e3779b97f4a7c15^item)&uint64(format.PoolWords-8))
}

func (u *outside) poolPut() {
	pool, x := u.arg(0)[0], u.arg(1)
	if x[0] == 0 {
		return
	}
	u.emit(trace.Event{Kind: format.ReleaseMerge, Flags: format.FlagPool, Obj: trace.Addr(x[1])})
	u.emit(trace.Event{Kind: format.AtomicWrite, Size: 8, Obj: poolWord(pool, x[1]), Val: 1})
	if *u.s.word(pool) == 0 {
		*u.s.word(pool) = u.g.alloc(8 + 16*maxItems)
	}
	n, item := u.s.items(pool)
	if *n == maxItems {
		panic(fault("a pool of many items"))
	}
	i := *n
	for ; i > 0; i-- {
		t, d := item(i - 1)
		if *d <= x[1] {
			break
		}
		to, at := item(i)
		*to, *at = *t, *d
	}
	t, d := item(i)
	*t, *d = x[0], x[1]
	*n++
}

// poolGet takes the item that the step says. Without one it calls New, if there is one.
func (u *outside) poolGet() {
	f := u.g.top()
	if u.item > 0 {
		n, item := u.s.items(u.addr)
		t, d := item(uint64(u.item - 1))
		u.result(*t, *d)
		u.emit(trace.Event{Kind: format.AtomicRMW, Size: 8, Obj: poolWord(u.addr, *d), Val: 1})
		u.emit(trace.Event{Kind: format.Acquire, Flags: format.FlagPool, Obj: trace.Addr(*d)})
		for i := uint64(u.item); i < *n; i++ {
			to, at := item(i - 1)
			t, d := item(i)
			*to, *at = *t, *d
		}
		*n--
		t, d = item(*n)
		*t, *d = 0, 0
		u.st.calls.decide(u.g, f.fn, passed, AtPool)
		return
	}
	fn := *u.s.word(u.addr + poolNew)
	if fn == 0 {
		u.result(0, 0)
		u.st.calls.decide(u.g, f.fn, passed-1, AtPool)
		return
	}
	u.more = true
	f.phase = 1
	u.st.calls.runs(u.s, u.g, u.x, fn, pooled)
}
