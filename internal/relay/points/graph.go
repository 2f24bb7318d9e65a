package points

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Kind is what a node with a name holds.
type Kind int32

const (
	Param   Kind = iota + 1 // what a function is given
	Free                    // what a closure has captured
	Result                  // what a function returns
	Global                  // a package-level variable
	Address                 // the address of one
	Field                   // a field, of all structs of its type
	Method                  // what a call through an interface gives: −1 the receiver
	MethodResult
	Value // what a call of a function value gives
	ValueResult
)

// Name is what a node is called in all packages.
type Name struct {
	Kind  Kind
	Of    string
	Index int32
}

func (n Name) compare(o Name) int {
	return cmp.Or(cmp.Compare(n.Kind, o.Kind), strings.Compare(n.Of, o.Of), cmp.Compare(n.Index, o.Index))
}

// Flow carries addresses from one node to another; with keys, from objects of one type to objects of another (U4). Key 0 is any type.
type Flow struct{ From, To, FromKey, ToKey int32 }

// Typed is a node and the type of what it points to.
type Typed struct{ Node, Key int32 }

// Class lists nodes that point to the same memory, and the nodes of its cells, 0 is none.
type Class struct {
	Nodes []int32
	Cells []int32
}

// Ref is what an access is to: a function, a number in its Function.Places, and the addresses there.
type Ref struct {
	Func  int32 // in Texts
	Place int32
	At    []Typed
}

// Named is the name of a node, with its text in Texts.
type Named struct {
	Kind      Kind
	Of, Index int32
}

// Copy is a flow that keeps the type.
type Copy struct {
	From, To int32
	Way      Way
}

// Way is how a flow goes (F1).
type Way int32

const (
	Register Way = iota // inside one execution of a function
	Memory              // through memory or parameters: of any execution
	Return              // from the result of a function to a call of it
)

// Graph is what is kept of a package: what others can see of it, and what its accesses are to. Nodes from len(Names) on have no name.
type Graph struct {
	Texts        []string
	Names        []Named
	Nodes        int32
	Keys         []string
	Args         []int32 // types that type parameters stand for
	Plain        []Copy
	Parts        []Flow
	Sites        []Typed // objects that are made
	Classes      []Class
	Takes, Gives []int32 // nodes that an open world writes to and reads from (N4)
	Refs         []Ref
}

// graph leaves of the constraints what can be seen (C1–C3).
func (b *builder) graph(refs []ref) *Graph {
	edges := map[edge]bool{}
	into := map[int32][]edge{}
	for e := range b.edges {
		e.from, e.to = b.find(e.from), b.find(e.to)
		if (e.from != e.to || e.fromKey != e.toKey) && !edges[e] {
			edges[e] = true
			into[e.to] = append(into[e.to], e)
		}
	}
	made := map[int32]bool{}
	for s := range b.sites {
		made[b.find(s.node)] = true
	}
	seen, classes := b.visible()
	keep := maps.Clone(seen)
	for _, r := range refs {
		for _, o := range r.at {
			keep[b.find(o.node)] = true
		}
	}
	source := b.collapse(seen, into, made)
	alias := func(n int32) int32 { n, _ = source(n); return n }
	live := map[int32]bool{}
	work := slices.Collect(maps.Keys(keep))
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n = alias(n); live[n] {
			continue
		}
		live[n] = true
		for _, e := range into[n] {
			work = append(work, e.from)
		}
	}
	return b.emit(refs, edges, source, live, classes)
}

// visible finds the nodes that other packages can change or see: those with a name, and the cells that these lead to (C1).
func (b *builder) visible() (seen map[int32]bool, classes map[int32][]int32) {
	seen, classes = map[int32]bool{}, map[int32][]int32{}
	var add func(n int32)
	add = func(n int32) {
		if n = b.find(n); seen[n] {
			return
		}
		seen[n] = true
		c := b.classOf(n)
		classes[c] = append(classes[c], n)
		if b.cells[c] != nil && len(classes[c]) == 1 {
			for _, m := range b.cells[c] {
				if m > 0 {
					add(m - 1)
				}
			}
		}
	}
	for n, name := range b.names {
		if name != (Name{}) {
			add(int32(n))
		}
	}
	return seen, classes
}

// collapse finds for each node the one that it only copies, and how (C2).
func (b *builder) collapse(seen map[int32]bool, into map[int32][]edge, made map[int32]bool) func(int32) (int32, Way) {
	type copied struct {
		from int32
		way  Way
	}
	memo := map[int32]copied{}
	var source func(n int32) (int32, Way)
	source = func(n int32) (int32, Way) {
		if m, ok := memo[n]; ok {
			return m.from, m.way
		}
		memo[n] = copied{n, Register} // ends cycles
		if in := into[n]; !seen[n] && !made[n] && len(in) == 1 && in[0].fromKey == "" && in[0].way != Return {
			from, way := source(in[0].from)
			memo[n] = copied{from, max(way, in[0].way)}
		}
		m := memo[n]
		return m.from, m.way
	}
	for n := range b.parent { // which node of a cycle stays does not depend on who asks
		source(int32(n))
	}
	return source
}

// emit numbers what is kept, the names first, in an order that is always the same.
func (b *builder) emit(refs []ref, edges map[edge]bool, source func(int32) (int32, Way), live map[int32]bool, classes map[int32][]int32) *Graph {
	g := &Graph{}
	alias := func(n int32) int32 { n, _ = source(n); return n }
	var order []int32
	for n := range live {
		order = append(order, n)
	}
	slices.SortFunc(order, func(x, y int32) int {
		p, q := b.names[x], b.names[y]
		if (p == Name{}) != (q == Name{}) {
			if p == (Name{}) {
				return 1
			}
			return -1
		}
		return cmp.Or(p.compare(q), cmp.Compare(x, y))
	})
	number, texts := map[int32]int32{}, map[string]int32{}
	text := func(s string) int32 {
		i, ok := texts[s]
		if !ok {
			i = int32(len(g.Texts))
			texts[s] = i
			g.Texts = append(g.Texts, s)
		}
		return i
	}
	for i, n := range order {
		number[n] = int32(i)
		if b.names[n] != (Name{}) {
			x := b.names[n]
			g.Names = append(g.Names, Named{x.Kind, text(x.Of), x.Index})
		}
	}
	g.Nodes = int32(len(order))
	keys := b.number(g, refs, edges)
	b.emitFlows(g, edges, source, func(n int32) (int32, bool) { i, ok := number[n]; return i, ok }, keys)
	for s := range b.sites {
		if n := b.find(s.node); live[n] {
			g.Sites = append(g.Sites, Typed{number[n], keys[s.key]})
		}
	}
	slices.SortFunc(g.Sites, Typed.compare)
	g.Sites = slices.Compact(g.Sites)
	for c, nodes := range classes {
		g.Classes = append(g.Classes, b.emitClass(c, nodes, number))
	}
	g.Classes = slices.DeleteFunc(g.Classes, func(c Class) bool { return len(c.Nodes) == 1 && c.Cells == nil })
	slices.SortFunc(g.Classes, func(a, b Class) int { return slices.Compare(a.Nodes, b.Nodes) })
	list := func(set map[int32]bool) (out []int32) {
		for n := range set {
			out = append(out, number[b.find(n)])
		}
		slices.Sort(out)
		return out
	}
	g.Takes, g.Gives = list(b.takes), list(b.gives)
	for _, r := range refs {
		out := Ref{Func: text(r.fn), Place: r.place}
		for _, o := range r.at {
			out.At = append(out.At, Typed{number[alias(b.find(o.node))], keys[o.key]})
		}
		slices.SortFunc(out.At, Typed.compare)
		out.At = slices.Compact(out.At)
		g.Refs = append(g.Refs, out)
	}
	return g
}

// emitFlows writes the flows between nodes that are kept; of is the number of a node.
func (b *builder) emitFlows(g *Graph, edges map[edge]bool, source func(int32) (int32, Way), of func(int32) (int32, bool), keys map[string]int32) {
	for e := range edges {
		to, live := of(e.to)
		if n, _ := source(e.to); !live || n != e.to {
			continue
		}
		copied, way := source(e.from)
		from, _ := of(copied)
		switch {
		case e.fromKey != "" || e.toKey != "":
			g.Parts = append(g.Parts, Flow{from, to, keys[e.fromKey], keys[e.toKey]})
		case from != to:
			g.Plain = append(g.Plain, Copy{from, to, max(way, e.way)})
		}
	}
	slices.SortFunc(g.Plain, func(a, b Copy) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From), cmp.Compare(a.Way, b.Way))
	})
	g.Plain = slices.Compact(g.Plain)
	slices.SortFunc(g.Parts, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From), cmp.Compare(a.FromKey, b.FromKey), cmp.Compare(a.ToKey, b.ToKey))
	})
	g.Parts = slices.Compact(g.Parts)
}

// emitClass writes the nodes of a class, and its cells.
func (b *builder) emitClass(c int32, nodes []int32, number map[int32]int32) Class {
	var out Class
	for _, n := range nodes {
		out.Nodes = append(out.Nodes, number[n])
	}
	slices.Sort(out.Nodes)
	if b.cells[c] != nil {
		for _, n := range b.cells[c] {
			if n > 0 {
				n = number[b.find(n-1)] + 1
			}
			out.Cells = append(out.Cells, n)
		}
	}
	return out
}

func (t Typed) compare(o Typed) int {
	return cmp.Or(cmp.Compare(t.Node, o.Node), cmp.Compare(t.Key, o.Key))
}

// number numbers the types; anyType has 0.
func (b *builder) number(g *Graph, refs []ref, edges map[edge]bool) map[string]int32 {
	used, args := map[string]bool{}, b.args
	for e := range edges {
		used[e.fromKey], used[e.toKey] = true, true
	}
	for s := range b.sites {
		used[s.key] = true
	}
	for _, r := range refs {
		for _, o := range r.at {
			used[o.key] = true
		}
	}
	maps.Copy(used, args)
	delete(used, "")
	delete(used, anyType)
	g.Keys = slices.AppendSeq([]string{anyType}, maps.Keys(used))
	slices.Sort(g.Keys[1:])
	out := map[string]int32{}
	for i, k := range g.Keys {
		out[k] = int32(i)
		if args[k] {
			g.Args = append(g.Args, int32(i))
		}
	}
	return out
}
