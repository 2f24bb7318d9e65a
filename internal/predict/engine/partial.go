package engine

// partial is a growing partial order: the static order and arcs added to it, closed
// under transitivity. An arc x→y says that an event set with y has x, before y.
//
// For every pair of chains it keeps the arcs between them in two Fenwick trees, one
// for "how far into chain c must precede x", one for "where in chain c do the events
// start that must follow x". An insertion closes the order by joining the last
// predecessors of x in every chain with the first successors of y in every chain.
type partial struct {
	static *static
	pred   [][]fenwick // [to][from]: by index in chain to, count of events of chain from
	succ   [][]fenwick // [from][to]: by reversed index in chain from, len-index in chain to
	log    []cell      // cells set since the last reset
	arcs   [][2]int32

	before, after []int32 // scratch: by chain
}

// fenwick is a prefix-maximum tree over the events of a chain; zero is nothing.
type fenwick []int32

type cell struct {
	tree fenwick
	at   int32
}

func newPartial(st *static) *partial {
	k := st.width
	return &partial{
		static: st,
		pred:   make([][]fenwick, k), succ: make([][]fenwick, k),
		before: make([]int32, k), after: make([]int32, k),
	}
}

func (o *partial) reset() {
	for _, c := range o.log {
		c.tree[c.at] = 0
	}
	o.log, o.arcs = o.log[:0], o.arcs[:0]
}

// max returns the largest value at an index up to i.
func (f fenwick) max(i int32) int32 {
	var m int32
	if f == nil {
		return 0
	}
	for i++; i > 0; i &= i - 1 {
		m = max(m, f[i])
	}
	return m
}

// find returns the tree for chains c and d, or nil.
func find(trees [][]fenwick, c, d int32) fenwick {
	if row := trees[c]; row != nil {
		return row[d]
	}
	return nil
}

// raise sets index i of the tree for chains c and d, which has n events, to at least v.
func (o *partial) raise(trees [][]fenwick, c, d int32, n int, i, v int32) {
	if trees[c] == nil {
		trees[c] = make([]fenwick, o.static.width)
	}
	if trees[c][d] == nil {
		trees[c][d] = make(fenwick, n+1)
	}
	f := trees[c][d]
	for i++; int(i) < len(f); i += i & -i {
		if f[i] == 0 {
			o.log = append(o.log, cell{f, i})
		}
		f[i] = max(f[i], v)
	}
}

// preceding is the number of events of chain c that must precede x.
func (o *partial) preceding(x, c int32) int32 {
	return max(o.static.count(x, c), find(o.pred, o.static.chain[x], c).max(o.static.idx[x]))
}

// following is the index in chain c where the events start that must follow x; it is
// the chain's length if there is none.
func (o *partial) following(x, c int32) int32 {
	n := int32(len(o.static.chains[c]))
	from := o.static.chain[x]
	if from == c {
		return o.static.idx[x] + 1
	}
	last := int32(len(o.static.chains[from])) - 1
	dynamic := n - find(o.succ, from, c).max(last-o.static.idx[x])
	return min(dynamic, o.static.staticFollowing(x, c))
}

// precedes reports that x must precede y.
func (o *partial) precedes(x, y int32) bool {
	return x != y && o.preceding(y, o.static.chain[x]) > o.static.idx[x]
}

// add inserts the arc x→y, which must not close a cycle; it reports whether it is new.
func (o *partial) add(x, y int32) bool {
	if o.precedes(x, y) {
		return false
	}
	o.arcs = append(o.arcs, [2]int32{x, y})
	k := o.static.width
	for c := int32(0); c < k; c++ {
		o.before[c], o.after[c] = o.preceding(x, c), o.following(y, c)
	}
	cx, cy := o.static.chain[x], o.static.chain[y]
	o.before[cx], o.after[cy] = o.static.idx[x]+1, o.static.idx[y]
	for c := int32(0); c < k; c++ {
		n := o.before[c] // events of c that reach x
		if n == 0 || n <= o.preceding(y, c) {
			continue
		}
		for d := int32(0); d < k; d++ {
			if to := o.after[d]; d != c && to < int32(len(o.static.chains[d])) && o.preceding(o.static.chains[d][to], c) < n {
				o.raise(o.pred, d, c, len(o.static.chains[d]), to, n)
				o.raise(o.succ, c, d, len(o.static.chains[c]), int32(len(o.static.chains[c]))-n, int32(len(o.static.chains[d]))-to)
			}
		}
	}
	return true
}
