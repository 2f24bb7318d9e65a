package points

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"presage/internal/relay/summary"
)

// builder makes the constraints of one package.
type builder struct {
	unifier
	keys   map[types.Type]string
	named  map[Name]int32
	names  []Name // of a node; the zero Name if only this package knows it
	values map[ssa.Value]int32
	edges  map[edge]bool
	sites  map[site]bool
	args   map[string]bool // type arguments
	done   map[string]bool // types whose promoted methods are bound
	open   bool            // other packages may call in
	takes  map[int32]bool  // nodes that get what is outside
	gives  map[int32]bool
}

// edge is a flow of addresses. If the keys differ from "", it goes from objects of one type to the parts or copies of another.
type edge struct {
	from, to       int32
	fromKey, toKey string
	way            Way
}

type site struct {
	node int32
	key  string
}

func (b *builder) node(n Name) int32 {
	if n != (Name{}) {
		if i, ok := b.named[n]; ok {
			return i
		}
	}
	i := b.add()
	if n != (Name{}) {
		b.named[n] = i
	}
	b.names = append(b.names, n)
	return i
}

// cell is what the objects that a register points to hold.
func (b *builder) cell(n int32, c cell) int32 {
	if n < 0 {
		return b.node(Name{})
	}
	return b.unifier.cell(n, c, func() int32 { return b.node(Name{}) })
}

// flow lets the addresses in from reach to (U3).
func (b *builder) flow(from, to int32) {
	b.along(from, to, Memory)
}

func (b *builder) along(from, to int32, way Way) {
	if from < 0 || to < 0 {
		return
	}
	b.edges[edge{from: from, to: to, way: way}] = true
	b.share(from, to)
}

// part lets objects of type from in x reach n as their parts of type to (U4).
func (b *builder) part(x, n int32, from, to string) {
	if x >= 0 {
		b.edges[edge{x, n, from, to, Memory}] = true
	}
}

// Build makes the graph of a package. sums are the summaries of the functions, by key.
func Build(fset *token.FileSet, pkg *ssa.Package, fns []*ssa.Function, sums map[string]*summary.Function, target bool) *Graph {
	b := &builder{keys: map[types.Type]string{}, named: map[Name]int32{}, values: map[ssa.Value]int32{}, edges: map[edge]bool{},
		sites: map[site]bool{}, args: map[string]bool{}, done: map[string]bool{}, takes: map[int32]bool{}, gives: map[int32]bool{}, open: pkg.Pkg.Name() != "main"}
	b.keep = func(m, n int32) int {
		switch {
		case b.names[m] == (Name{}):
			return 1
		case b.names[n] == (Name{}):
			return 0
		}
		b.edges[edge{from: m, to: n}] = true // both can be seen from outside: they stay, and all flows both ways
		b.edges[edge{from: n, to: m}] = true
		return -1
	}
	var refs []ref
	for _, fn := range fns {
		at := map[position][]operand{}
		for _, block := range fn.Blocks {
			for _, in := range block.Instrs {
				b.instruction(fn, in)
				if target {
					b.operands(standing(fset, in), in, at)
				}
			}
		}
		b.outside(fn)
		if target && sums[funcKey(fn)] != nil {
			refs = append(refs, b.refs(fn, sums[funcKey(fn)], at)...)
		}
	}
	b.variables(pkg)
	return b.graph(refs)
}

// value is the node of a register; −1 if it holds no address.
func (b *builder) value(v ssa.Value) int32 {
	if n, ok := b.values[v]; ok {
		return n
	}
	n := int32(-1)
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin:
	case *ssa.Parameter:
		for i, p := range v.Parent().Params {
			if p == v && tracked(v.Type()) {
				n = b.node(Name{Param, funcKey(v.Parent()), int32(i)})
			}
		}
	case *ssa.FreeVar:
		for i, p := range v.Parent().FreeVars {
			if p == v {
				n = b.node(Name{Free, funcKey(v.Parent()), int32(i)})
			}
		}
	case *ssa.Global:
		n = b.node(Name{Address, globalName(v), 0})
		b.sites[site{n, b.pointee(v.Type())}] = true
		b.contains(n, v.Type(), b.node(Name{Global, globalName(v), 0}))
	default:
		if tracked(v.Type()) {
			n = b.node(Name{})
		}
	}
	b.values[v] = n
	return n
}

// contains says that the address n, of type t, is that of the memory m.
func (b *builder) contains(n int32, t types.Type, m int32) {
	p, ok := t.Underlying().(*types.Pointer)
	switch {
	case !ok || !tracked(p.Elem()):
	case array(p.Elem()):
		b.share(n, m)
	default:
		b.bind(n, pointed, m)
	}
}

func globalName(g *ssa.Global) string {
	if g.Pkg == nil {
		return g.Name()
	}
	return g.Pkg.Pkg.Path() + "." + g.Name()
}

// at is the memory at an address.
func (b *builder) at(addr ssa.Value) int32 {
	switch v := addr.(type) {
	case *ssa.FieldAddr:
		return b.field(v.X.Type(), v.Field)
	case *ssa.IndexAddr:
		return b.cell(b.value(v.X), element)
	case *ssa.Global:
		return b.node(Name{Global, globalName(v), 0})
	}
	return b.cell(b.value(addr), pointed)
}

// field is what the field of all structs of the type holds (N3).
func (b *builder) field(t types.Type, i int) int32 {
	t, s := structOf(t)
	if s == nil {
		return b.node(Name{Field, anyType, int32(i)})
	}
	n := b.node(Name{Field, fieldName(b.key(t), s, i), 0})
	if b.open && s.Field(i).Exported() {
		b.takes[n], b.gives[n] = true, true
	}
	return n
}
