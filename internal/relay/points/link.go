package points

import (
	"cmp"
	"go/ast"
	"slices"
	"strings"

	"presage/internal/relay/summary"
)

// Linker joins the graphs of packages.
type Linker struct {
	unifier
	open  bool
	out   int32 // the node of all that an open world has (N4)
	named map[Name]int32
	keys  map[string]int32
	makes []bool // of a type: others can make objects of it (N4)
	wild  []bool // of a type: parts of it may be anything
	arg   []bool // of a type: a type parameter may stand for it
	shape []byte // of a type: whether it is a pointer, slice, map, channel or struct
	refs  map[summary.Pos][]Typed
	known func(fn string) bool
	flows []flow
	sites int32

	into    [][]flow // of a node, once all are joined
	escapes *world   // once it is asked for
	memo    map[Typed]*set
	chains  map[chain]int32
	calls   []chain // by number
	Cut     int     // sets beyond the bound
}

// NewLinker returns a linker. An open world is one in which other packages call the exported functions.
// Of functions that are not known results are unknown.
func NewLinker(open bool, known func(fn string) bool) *Linker {
	l := &Linker{open: open, named: map[Name]int32{}, keys: map[string]int32{anyType: 0}, makes: []bool{true}, wild: []bool{true}, arg: []bool{true}, shape: []byte{0}, refs: map[summary.Pos][]Typed{},
		known: known, memo: map[Typed]*set{}, chains: map[chain]int32{{}: 0}, calls: []chain{{}}}
	l.keep = func(m, n int32) int { return 0 }
	l.out = l.add()
	for c := range numCells { // containers outside hold what is outside
		l.bind(l.out, c, l.out)
	}
	return l
}

// Add joins a graph. The places of functions for which own is true are those that it refers to.
func (l *Linker) Add(g *Graph, own func(fn string) bool) {
	nodes := make([]int32, g.Nodes)
	for i := range nodes {
		var name Name
		if i < len(g.Names) {
			name = Name{g.Names[i].Kind, g.Texts[g.Names[i].Of], g.Names[i].Index}
		}
		old, ok := l.named[name]
		if !ok || name == (Name{}) {
			old = l.add()
			if name != (Name{}) {
				l.named[name] = old
			}
		}
		nodes[i] = old
	}
	keys := make([]int32, len(g.Keys))
	for i, k := range g.Keys {
		n, ok := l.keys[k]
		if !ok {
			n = int32(len(l.keys))
			l.keys[k] = n
			l.makes = append(l.makes, !private(k))
			l.wild = append(l.wild, strings.Contains(k, parameter))
			l.arg = append(l.arg, false)
			l.shape = append(l.shape, k[0])
		}
		keys[i] = n
	}
	for _, k := range g.Args {
		l.arg[keys[k]] = true
	}
	for _, e := range g.Plain {
		l.flows = append(l.flows, flow{Flow{From: nodes[e.From], To: nodes[e.To]}, step(e.Way)})
		l.share(nodes[e.From], nodes[e.To])
	}
	for _, e := range g.Parts {
		l.flows = append(l.flows, flow{Flow{nodes[e.From], nodes[e.To], keys[e.FromKey], keys[e.ToKey]}, part})
	}
	for _, s := range g.Sites {
		site := l.sites
		if s.Node < int32(len(g.Names)) && g.Names[s.Node].Kind == Address {
			site = -2 - nodes[s.Node] // a variable is one object in all packages
		}
		l.sites++
		l.flows = append(l.flows, flow{Flow{0, nodes[s.Node], site, keys[s.Key]}, made})
	}
	for _, c := range g.Classes {
		for _, n := range c.Nodes[1:] {
			l.share(nodes[c.Nodes[0]], nodes[n])
		}
		for i, n := range c.Cells {
			if n > 0 {
				l.bind(nodes[c.Nodes[0]], cell(i), nodes[n-1])
			}
		}
	}
	if l.open {
		l.world(g, nodes)
	}
	for _, r := range g.Refs {
		fn := g.Texts[r.Func]
		if !own(fn) {
			continue
		}
		var at []Typed
		for _, t := range r.At {
			at = append(at, Typed{nodes[t.Node], keys[t.Key]})
		}
		l.refs[summary.Pos{Func: fn, Place: r.Place}] = at
	}
}

// flow is a step backwards.
type flow struct {
	Flow
	step step
}

// step is a Way, or one of these.
type step int32

const (
	part = step(Return) + 1 + iota // to an object of another type
	made                           // the object FromKey, of type ToKey, is made
)

// maxChain bounds the calls that tell objects of one site apart (F2).
const maxChain = 3

// chain lists the calls whose results the object was on its way out of the function that made it, the innermost first. 0 is none.
type chain [maxChain]int32

// world joins what an open world writes to and reads from (N4).
func (l *Linker) world(g *Graph, nodes []int32) {
	for _, n := range g.Takes {
		l.takes(nodes[n])
	}
	for _, n := range g.Gives {
		l.gives(nodes[n])
	}
	for i, n := range g.Names {
		switch n.Kind { // who has an object may call its methods, and who has a function may call it
		case Method, Value, MethodResult, ValueResult:
			if n.Kind == Method || n.Kind == MethodResult {
				if name, _, _ := strings.Cut(g.Texts[n.Of], " "); strings.Contains(name, ".") || name == "panic" {
					continue // not exported
				}
			}
			l.takes(nodes[i])
			if n.Index >= 0 { // receivers of methods outside are made there
				l.gives(nodes[i])
			}
		}
	}
}

// takes lets what is outside reach n.
func (l *Linker) takes(n int32) {
	l.flows = append(l.flows, flow{Flow{From: l.out, To: n}, step(Memory)})
	l.share(l.out, n)
}

// gives lets what reaches n get outside.
func (l *Linker) gives(n int32) {
	l.flows = append(l.flows, flow{Flow{From: n, To: l.out}, step(Memory)})
	l.share(l.out, n)
}

// Solve ends the joining.
func (l *Linker) Solve() {
	for name, n := range l.named { // what is not known is outside (N5)
		switch {
		case name.Kind == Result && !l.known(name.Of):
			l.takes(n)
		case name.Kind == Param && !l.known(name.Of):
			l.gives(n)
		}
	}
	l.into = make([][]flow, len(l.parent))
	for _, f := range l.flows {
		f.From = l.find(f.From)
		to := l.find(f.To)
		if f.From != to || f.step >= part {
			l.into[to] = append(l.into[to], f)
		}
	}
	l.flows = nil
}

// set is what a node may point to.
type set struct {
	objects []object // sorted
	above   []object // these, and what they are one of (F3), sorted
	unknown bool     // and more
}

// maxStates bounds the nodes that are looked at for one set. What is beyond it is unknown (A2).
const maxStates = 20000

// object is what is made at a site and comes out through calls.
type object struct{ site, chain int32 }

func (o object) compare(p object) int {
	return cmp.Or(cmp.Compare(o.site, p.site), cmp.Compare(o.chain, p.chain))
}

// state is a node in a search backwards: objects of type key, on their way out through the calls.
type state struct {
	Typed
	chain int32
}

// outsider is the object that stands for all that is made outside.
var outsider = object{site: -1}

// points finds the objects of type key that reach a node, backwards along the flows (A2).
func (l *Linker) points(n, key int32) *set {
	n = l.find(n)
	if s := l.memo[Typed{n, key}]; s != nil {
		return s
	}
	s := &set{}
	seen := map[state]bool{}
	var work []state
	out := l.find(l.out)
	push := func(n, key, chain int32) {
		if t := (state{Typed{n, key}, chain}); !seen[t] {
			seen[t] = true
			work = append(work, t)
		}
	}
	push(n, key, 0)
	for len(work) > 0 && !s.unknown {
		t := work[len(work)-1]
		work = work[:len(work)-1]
		if t.Node == out {
			s.objects = append(s.objects, l.outside(t.Key)...)
			continue
		}
		if len(seen) > maxStates {
			s.unknown = true
			l.Cut++
		}
		for _, f := range l.into[t.Node] {
			switch {
			case f.step == step(Register):
				push(f.From, t.Key, t.chain)
			case f.step == step(Memory):
				push(f.From, t.Key, 0)
			case f.step == step(Return):
				push(f.From, t.Key, l.through(f.To, t.chain))
			case !l.matches(f.ToKey, t.Key): // classes are split by type (N1)
			case f.step == made:
				s.objects = append(s.objects, object{f.FromKey, t.chain})
			default:
				push(f.From, f.FromKey, 0)
			}
		}
	}
	l.end(s)
	l.memo[Typed{n, key}] = s
	return s
}

// through adds a call inside of those of a chain (F2).
func (l *Linker) through(call, outer int32) int32 {
	c := chain{call + 1}
	copy(c[1:], l.calls[outer][:])
	return l.number(c)
}

func (l *Linker) number(c chain) int32 {
	i, ok := l.chains[c]
	if !ok {
		i = int32(len(l.calls))
		l.chains[c] = i
		l.calls = append(l.calls, c)
	}
	return i
}

// end sorts a set, and adds what its objects are one of: those with fewer of the outer calls (F3).
func (l *Linker) end(s *set) {
	slices.SortFunc(s.objects, object.compare)
	s.objects = slices.Compact(s.objects)
	for _, o := range s.objects {
		s.above = append(s.above, o)
		c := l.calls[o.chain]
		for i := maxChain - 1; i >= 0; i-- {
			if c[i] != 0 {
				c[i] = 0
				s.above = append(s.above, object{o.site, l.number(c)})
			}
		}
	}
	slices.SortFunc(s.above, object.compare)
	s.above = slices.Compact(s.above)
}

// Apart reports whether the accesses at two places cannot be to one object (A3).
func (l *Linker) Apart(a, b summary.Pos) bool {
	x, y := l.refs[a], l.refs[b]
	if a == b || x == nil || y == nil {
		return false
	}
	return disjoint(l.union(x), l.union(y))
}

func (l *Linker) union(refs []Typed) *set {
	if len(refs) == 1 {
		return l.points(refs[0].Node, refs[0].Key)
	}
	s := &set{}
	for _, r := range refs {
		o := l.points(r.Node, r.Key)
		s.objects = append(s.objects, o.objects...)
		s.unknown = s.unknown || o.unknown || len(o.objects) == 0
	}
	l.end(s)
	return s
}

// disjoint reports whether no object of one set may be one of the other. Of an empty set nothing is known.
func disjoint(x, y *set) bool {
	if x.unknown || y.unknown || len(x.objects) == 0 || len(y.objects) == 0 {
		return false
	}
	return !meet(x.objects, y.above) && !meet(x.above, y.objects)
}

// meet reports whether two sorted lists have something in common.
func meet(x, y []object) bool {
	for len(x) > 0 && len(y) > 0 {
		switch c := x[0].compare(y[0]); {
		case c == 0:
			return true
		case c < 0:
			x = x[1:]
		default:
			y = y[1:]
		}
	}
	return false
}

// private reports whether only the package of a type can make objects of it: its name is not exported.
func private(key string) bool {
	i := strings.LastIndexByte(key, '.')
	return i >= 0 && !strings.ContainsAny(key, "[]*&{ ") && !ast.IsExported(key[i+1:])
}

// matches reports whether an object of one type may be one of the other.
func (l *Linker) matches(x, y int32) bool {
	switch {
	case x == y, x == 0, y == 0:
		return true
	case l.shape[x] == parameter[0]:
		return l.arg[y] || l.wild[y]
	case l.shape[y] == parameter[0]:
		return l.arg[x] || l.wild[x]
	}
	return (l.wild[x] || l.wild[y]) && l.shape[x] == l.shape[y]
}
