package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// obligations computes, for one pair, facts that hold in every witness: events it
// contains and arcs it respects. It finds a contradiction or a fixed point.
type obligations struct {
	static  *static
	objects *objects
	partial *partial // the arcs

	cut     []int32 // by chain: how many of its events every witness contains
	limit   []int32 // by chain: no witness contains events from here on
	grown   []int32 // chains whose cut has grown since it was looked at
	done    []int32 // by chain: events looked at
	reads   []int32 // needed reads
	locks   []int32 // acquires
	stamp   []int32 // by event: the run that found it needed
	run     int32
	refuted bool
	byValue map[valueKey]seqs // writes
	// by object: what is written to it depends on the execution, and terms say how (MO11)
	varies []bool
	orders [][]int32 // orders on condition, by their condition
	given  []int32   // of those, whose condition is included
	// scratch: by chain with writes to a location, the last one before a read
	latest []int32
}

type valueKey struct {
	o model.Obj
	v uint64
}

func newObligations(st *static, ob *objects) *obligations {
	u := &obligations{
		static: st, objects: ob, partial: newPartial(st),
		cut: make([]int32, st.width), limit: make([]int32, st.width), done: make([]int32, st.width),
		stamp: make([]int32, st.n), byValue: map[valueKey]seqs{},
	}
	if hasTerms(st.w) {
		u.varies = make([]bool, len(st.w.Init))
	}
	if len(st.w.Orders) > 0 {
		u.orders = make([][]int32, st.n)
		for k, c := range st.w.Orders {
			u.orders[c.If] = append(u.orders[c.If], int32(k))
		}
	}
	for _, x := range st.line {
		e := &st.w.Events[x]
		if u.varies != nil && e.Kind.IsWrite() && !isConstant(e) {
			u.varies[e.Obj] = true
		}
		if e.Kind.IsWrite() {
			k := valueKey{e.Obj, written(e)}
			u.byValue[k] = addTo(u.byValue[k], st, x)
		}
	}
	return u
}

// consistent computes the fixed point for p. It reports false if there is no witness.
func (u *obligations) consistent(p model.Pair) bool {
	u.start(p)
	for !u.refuted {
		n := len(u.partial.arcs)
		u.visitCut()
		for i := 0; i < len(u.locks) && !u.refuted; i++ {
			u.visitLock(u.locks[i])
		}
		u.visitOrders()
		for i := 0; i < len(u.reads) && !u.refuted; i++ {
			u.visitRead(u.reads[i])
		}
		if n == len(u.partial.arcs) && len(u.grown) == 0 {
			break
		}
	}
	return !u.refuted
}

func (u *obligations) start(p model.Pair) {
	u.partial.reset()
	u.run++
	u.reads, u.locks, u.grown, u.given, u.refuted = u.reads[:0], u.locks[:0], u.grown[:0], u.given[:0], false
	for c := range u.static.width {
		u.cut[c], u.done[c] = 0, 0
		u.limit[c] = min(u.static.from(p.A, c), u.static.from(p.B, c))
	}
	for _, x := range [2]int32{p.A, p.B} {
		u.includeAll(x)
		for _, r := range u.static.w.Events[x].Deps {
			u.need(r)
		}
		for _, r := range u.static.w.Events[x].Where { // (MO10)
			u.need(r)
		}
	}
}

// includeAll includes what must precede x.
func (u *obligations) includeAll(x int32) {
	for c := range u.static.width {
		u.include(c, u.partial.preceding(x, c))
	}
}

// include notes that every witness contains the first n events of chain c.
func (u *obligations) include(c, n int32) {
	if n <= u.cut[c] {
		return
	}
	u.cut[c] = n
	u.grown = append(u.grown, c)
	if n > u.limit[c] {
		u.refuted = true
	}
}

func (u *obligations) includes(x int32) bool { return u.static.idx[x] < u.cut[u.static.chain[x]] }

// excludes reports that no witness contains x.
func (u *obligations) excludes(x int32) bool {
	if u.static.never[x] || u.static.w.Events[x].Last || u.static.idx[x] >= u.limit[u.static.chain[x]] {
		return true
	}
	for c := range u.static.width {
		if u.partial.preceding(x, c) > u.limit[c] {
			return true
		}
	}
	return false
}

// visitCut collects the obligations of newly included events.
func (u *obligations) visitCut() {
	for len(u.grown) > 0 && !u.refuted {
		c := u.grown[len(u.grown)-1]
		u.grown = u.grown[:len(u.grown)-1]
		from, to := u.done[c], u.cut[c]
		if from == to {
			continue
		}
		u.done[c] = to
		for _, x := range u.static.chains[c][from:to] {
			u.collect(x)
		}
		u.includeAll(u.static.chains[c][to-1])
	}
}

func (u *obligations) collect(x int32) {
	e := &u.static.w.Events[x]
	if u.static.never[x] || e.Last {
		u.refuted = true
	}
	for _, r := range e.Deps {
		u.need(r)
	}
	if e.Strict {
		u.need(x)
	}
	if u.static.weak != nil {
		for _, y := range u.static.weak[x] {
			u.arc(y, x)
		}
	}
	if u.orders != nil {
		u.given = append(u.given, u.orders[x]...)
	}
	if e.Kind == format.Lock && u.objects.objs[e.Obj].disciplined {
		u.locks = append(u.locks, x)
	}
}

// need notes that the read r is intact in every witness.
func (u *obligations) need(r int32) {
	if u.stamp[r] == u.run {
		return
	}
	u.stamp[r] = u.run
	if u.varies != nil && u.varies[u.static.w.Events[r].Obj] {
		return // another write than those of its value may store it
	}
	switch u.static.w.Events[r].Kind {
	case format.Read, format.AtomicRead, format.AtomicRMW:
		u.reads = append(u.reads, r)
	}
}

// arc notes that x precedes y if y is executed.
func (u *obligations) arc(x, y int32) {
	if x == y || u.partial.precedes(y, x) {
		u.limit[u.static.chain[y]] = min(u.limit[u.static.chain[y]], u.static.idx[y])
		u.refuted = u.refuted || u.includes(y)
		return
	}
	if u.partial.add(x, y) && u.includes(y) {
		u.include(u.static.chain[x], u.static.idx[x]+1)
		u.includeAll(x)
	}
}

// visitLock orders the critical section of the included acquire x after those that
// start before x's ends.
func (u *obligations) visitLock(x int32) {
	e := &u.static.w.Events[x]
	o := &u.objects.objs[e.Obj]
	u.orderSection(x, o.ops[roleLock])
	if !isRead(e) {
		u.orderSection(x, o.ops[roleRLock])
	}
}

func (u *obligations) orderSection(x int32, acquires seqs) {
	end := u.objects.release[x]
	open := end < 0 || u.excludes(end) // x's section is still open at the race
	for _, q := range acquires {
		c := u.static.chain[q[0]]
		if c == u.static.chain[x] {
			continue
		}
		bound := u.cut[c]
		if !open {
			bound = min(bound, u.partial.preceding(end, c))
		}
		k := u.countUpTo(q, bound)
		if k == 0 {
			continue
		}
		r := u.objects.release[q[k-1]]
		if r < 0 || u.excludes(r) {
			u.refuted = true
			return
		}
		u.arc(r, x)
	}
}

// countUpTo is the number of events of q with an index below bound in their chain.
func (u *obligations) countUpTo(q []int32, bound int32) int {
	lo, hi := 0, len(q)
	for lo < hi {
		m := (lo + hi) / 2
		if u.static.idx[q[m]] < bound {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// visitRead looks for the writes that the needed read r can see last.
func (u *obligations) visitRead(r int32) {
	e := &u.static.w.Events[r]
	o := &u.objects.objs[e.Obj]
	u.latest = u.latest[:0]
	initial := o.init.Val == e.Val && !o.init.Unknown
	for _, q := range o.ops[roleWrite] {
		w := int32(-1)
		if k := u.countUpTo(q, u.partial.preceding(r, u.static.chain[q[0]])); k > 0 {
			w, initial = q[k-1], false
		}
		u.latest = append(u.latest, w)
	}
	first, n, chain := int32(-1), 0, int32(-1)
	for _, q := range u.byValue[valueKey{e.Obj, e.Val}] {
		for _, w := range u.visible(q, r) {
			if !u.canBeLast(w, r) {
				continue
			}
			if n++; n == 1 {
				first, chain = w, u.static.chain[w]
			} else if u.static.chain[w] != chain || initial {
				return
			}
		}
	}
	switch {
	case n == 0 && !initial:
		u.refuted = true
	case n == 0:
		u.seesInitial(r, o)
	case initial:
	case n == 1:
		u.arc(first, r)
		u.seesOnly(first, r, o)
	default:
		u.arc(first, r) // all are in one chain
	}
}

// visible returns those of q, writes of one chain, that r may see by the order of that chain: from
// the last write before r on, to the first that follows r or that no witness contains.
func (u *obligations) visible(q []int32, r int32) []int32 {
	c := u.static.chain[q[0]]
	q = q[:u.countUpTo(q, min(u.partial.following(r, c), u.limit[c]))]
	for _, l := range u.latest {
		if l >= 0 && u.static.chain[l] == c {
			return q[u.countUpTo(q, u.static.idx[l]):]
		}
	}
	return q
}

// canBeLast reports that r may see w, one of visible.
func (u *obligations) canBeLast(w, r int32) bool {
	if w == r {
		return false
	}
	for _, l := range u.latest {
		if l >= 0 && l != w && u.partial.precedes(w, l) {
			return false
		}
	}
	return !u.excludes(w)
}

// seesInitial: all writes come after r.
func (u *obligations) seesInitial(r int32, o *object) {
	for _, q := range o.ops[roleWrite] {
		if w := q[0]; w != r && u.static.chain[w] != u.static.chain[r] {
			u.arc(r, w)
		}
	}
}

// seesOnly: r sees w, so every other write is before w or after r.
func (u *obligations) seesOnly(w, r int32, o *object) {
	for _, d := range u.static.w.Events[w].ValDeps {
		u.need(d)
	}
	if u.static.w.Events[w].Kind == format.AtomicRMW {
		u.need(w)
	}
	for _, q := range o.ops[roleWrite] {
		c := u.static.chain[q[0]]
		if k := u.countUpTo(q, u.partial.preceding(r, c)); k > 0 && q[k-1] != w {
			u.arc(q[k-1], w)
		}
		k := u.countUpTo(q, u.partial.following(w, c))
		if k < len(q) && q[k] == r {
			k++
		}
		if k < len(q) {
			u.arc(r, q[k])
		}
		if u.refuted {
			return
		}
	}
}
