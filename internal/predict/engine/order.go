package engine

import "slices"

// arc is an edge of the order that a true literal added.
type arc struct {
	to int32
	l  lit
}

// order is a total order of the events and the cursor that extends the static
// order and the arcs of all true order literals, kept by the algorithm of Pearce
// and Kelly: adding x→y with x after y reorders only what lies between them.
type order struct {
	static *static
	cursor int32 // the node after the last event
	pos    []int32
	at     []int32
	out    [][]arc // by source
	in     [][]arc // by target; arc.to is the source
	mark   []int32
	stamp  int32
	parent []int32
	via    []lit
	fwd    []int32
	bwd    []int32
	pool   []int32
}

func newOrder(st *static) *order {
	n := int(st.n) + 1
	return &order{
		static: st, cursor: st.n,
		pos: make([]int32, n), at: make([]int32, n),
		out: make([][]arc, n), in: make([][]arc, n),
		mark: make([]int32, n), parent: make([]int32, n), via: make([]lit, n),
	}
}

// reset makes the order that of line, with the cursor before event c, and drops all arcs.
func (o *order) reset(c int32) {
	p := int32(0)
	for _, x := range o.static.line {
		if x == c {
			o.pos[o.cursor], o.at[p] = p, o.cursor
			p++
		}
		o.pos[x], o.at[p] = p, x
		p++
	}
	for i := range o.out {
		o.out[i], o.in[i] = o.out[i][:0], o.in[i][:0]
	}
}

// start makes the order begin with some events, which are in the order of line and have their
// predecessors among them, then the cursor, then the others.
func (o *order) start(first []int32) {
	o.stamp++
	p := int32(0)
	put := func(x int32) {
		o.pos[x], o.at[p] = p, x
		p++
	}
	for _, x := range first {
		o.mark[x] = o.stamp
		put(x)
	}
	put(o.cursor)
	for _, x := range o.static.line {
		if o.mark[x] != o.stamp {
			put(x)
		}
	}
}

// executed is the part of the order before the cursor.
func (o *order) executed() []int32 { return o.at[:o.pos[o.cursor]] }

// add inserts the arc x→y of literal l. If that closes a cycle, it returns the
// literals of the path from y to x and adds nothing.
func (o *order) add(x, y int32, l lit) (path []lit, ok bool) {
	if o.pos[x] > o.pos[y] {
		if o.search(y, x) {
			return o.pathTo(x), false
		}
		o.searchBack(x, o.pos[y])
		o.shift()
	}
	o.out[x] = append(o.out[x], arc{y, l})
	o.in[y] = append(o.in[y], arc{x, l})
	return nil, true
}

// drop removes the arc x→y, the last one added at both ends.
func (o *order) drop(x, y int32) {
	o.out[x] = o.out[x][:len(o.out[x])-1]
	o.in[y] = o.in[y][:len(o.in[y])-1]
}

// search walks forward from y through what stands before x, into fwd; it reports
// whether it met x.
func (o *order) search(y, x int32) bool {
	limit := o.pos[x]
	o.stamp++
	o.mark[y], o.parent[y] = o.stamp, -1
	o.fwd = append(o.fwd[:0], y)
	for h := 0; h < len(o.fwd); h++ {
		z := o.fwd[h]
		if z != o.cursor {
			if n := o.static.next[z]; n >= 0 {
				o.visit(n, z, noLit, limit)
			}
			for _, n := range o.static.post[z] {
				o.visit(n, z, noLit, limit)
			}
		}
		for _, a := range o.out[z] {
			o.visit(a.to, z, a.l, limit)
		}
		if o.mark[x] == o.stamp {
			return true
		}
	}
	return false
}

func (o *order) visit(n, from int32, l lit, limit int32) {
	if o.pos[n] <= limit && o.mark[n] != o.stamp {
		o.mark[n], o.parent[n], o.via[n] = o.stamp, from, l
		o.fwd = append(o.fwd, n)
	}
}

// pathTo returns the literals on the path that search found to x.
func (o *order) pathTo(x int32) []lit {
	var path []lit
	for ; o.parent[x] >= 0; x = o.parent[x] {
		if o.via[x] != noLit {
			path = append(path, o.via[x])
		}
	}
	return path
}

// searchBack walks backward from x through what stands at or after limit, into bwd.
func (o *order) searchBack(x, limit int32) {
	o.bwd = append(o.bwd[:0], x)
	o.mark[x] = o.stamp
	back := func(n int32) {
		if o.pos[n] >= limit && o.mark[n] != o.stamp {
			o.mark[n] = o.stamp
			o.bwd = append(o.bwd, n)
		}
	}
	for h := 0; h < len(o.bwd); h++ {
		z := o.bwd[h]
		if z != o.cursor {
			if n := o.static.prev[z]; n >= 0 {
				back(n)
			}
			for _, n := range o.static.pre[z] {
				back(n)
			}
		}
		for _, a := range o.in[z] {
			back(a.to)
		}
	}
}

// shift gives the positions of bwd and fwd first to bwd, then to fwd.
func (o *order) shift() {
	byPos := func(x, y int32) int { return int(o.pos[x] - o.pos[y]) }
	slices.SortFunc(o.fwd, byPos)
	slices.SortFunc(o.bwd, byPos)
	o.pool = o.pool[:0]
	for _, x := range o.bwd {
		o.pool = append(o.pool, o.pos[x])
	}
	for _, x := range o.fwd {
		o.pool = append(o.pool, o.pos[x])
	}
	slices.Sort(o.pool)
	for k, x := range o.bwd {
		o.pos[x], o.at[o.pool[k]] = o.pool[k], x
	}
	for k, x := range o.fwd {
		p := o.pool[len(o.bwd)+k]
		o.pos[x], o.at[p] = p, x
	}
}
