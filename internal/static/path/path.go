// Package path names memory: access paths from the roots of a function.
//
// # What it computes
//
// A [Node] stands for a value: an address, a slice, a map, a channel, a function. It is built from
// a root by steps, as the symbolic lvalues of RELAY (ESEC/FSE 2007, Figure 2) are: a representative
// and offsets.
//
//	root  Param i, Free i       what the function is given (formals)
//	      Global g              the address of a package-level variable
//	      Alloc site            the address of what an allocation site makes
//	      Result site           what a call yields of which nothing is known
//	      Func f args           a function, with the values that a closure has captured
//	      Unknown t             any value of type t: the representative of its class
//	      Choice v              one of the paths of register v, the same each time: names locks only
//	step  Field T.f             the address of a field, from that of the struct
//	      Elem i                the address of an element, from a slice, map or array address
//	      Sub                   a slice of the same memory with other bounds
//	      Load                  what the address held when it was read: init(o)
//	name  Token, Recv, Locker   synchronisation objects that belong to a node
//	      Iface t               an interface that holds the node
//
// # Equality and bounds
//
// Nodes of one [Table] are equal iff they are the same pointer. A path has at most [MaxDepth]
// loads. A longer path is cut to Unknown of its type: this, the representative as the fallback of
// section 3.1, makes every analysis over paths end.
//
// # Indices
//
// Constant indices name elements of their own. An index that is a value of the frame is kept, so
// that two goroutines of one loop can be distinguished. Any other index is any element.
//
// # Classes
//
// The class of a location is the last field with its struct type, or the exact variable or site if
// no load lies between. Two locations may be one only if their classes agree: classes are split by
// type. A Choice is no location, and has no class: two of them are never known to be one outside
// their frame.
package path

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Kind is the kind of a node.
type Kind uint8

const (
	Param Kind = iota
	Free
	Global
	Alloc
	Result
	Func
	Unknown
	Const // an index
	Value // an index: a value of the frame
	Field
	Elem
	Sub
	Load
	Token  // what a go statement releases and its goroutine acquires
	Recv   // what a receive releases to the sender
	Locker // the read side of an RWMutex as a Locker
	Iface  // an interface value, with its dynamic type
	Choice // what a register holds that has several paths
)

// All, as a constant index, is every element.
const All = -1

// MaxDepth bounds the loads of a path.
const MaxDepth = 3

// Over is the name of what says that all goroutines of a go statement have released an object.
const Over = "over"

// Deep ends the name of a site that several calls share.
const Deep = "@+"

// Node is one value. It is immutable.
type Node struct {
	Kind  Kind
	Base  *Node   // of a step
	Index int32   // Param, Free: which; Const: the number; Result: which result
	Idx   *Node   // Elem: the index, nil is any
	Name  string  // Global, Alloc, Result, Func, Field: its key; Value: the register
	Type  string  // class of what it points to, for roots
	Args  []*Node // Func: what the closure captured
	Loop  bool    // Alloc, Result: the site is in a loop; Value: it changes with the loop
	Cap   int32   // Alloc of a channel: its capacity, −1 unknown; −2 no channel

	loads uint8
	frame bool // mentions Param, Free or a site of the frame
}

// Internal reports whether only packages below the parent of a directory can import a package.
func Internal(pkg string) bool { return strings.Contains("/"+pkg+"/", "/internal/") }

// Exported reports whether code of any package can name a field.
func (n *Node) Exported() bool {
	return token.IsExported(n.Name[strings.LastIndexByte(n.Name, '.')+1:])
}

type key struct {
	kind      Kind
	base, idx *Node
	index     int32
	name, typ string
	args      string
	loop      bool
	cap       int32
}

// Table holds the nodes of one analysis, each once. It is not safe for concurrent use.
type Table struct{ nodes map[key]*Node }

// NewTable returns an empty table.
func NewTable() *Table { return &Table{nodes: map[key]*Node{}} }

func (t *Table) node(n Node) *Node {
	k := key{n.Kind, n.Base, n.Idx, n.Index, n.Name, n.Type, "", n.Loop, n.Cap}
	if len(n.Args) > 0 {
		var b strings.Builder
		for _, a := range n.Args {
			fmt.Fprintf(&b, "%p,", a)
		}
		k.args = b.String()
	}
	if old := t.nodes[k]; old != nil {
		return old
	}
	m := n
	if n.Base != nil {
		m.loads, m.frame = n.Base.loads, n.Base.frame
	}
	switch n.Kind {
	case Load:
		m.loads++
	case Param, Free, Alloc, Result, Choice:
		m.frame = true
	}
	for _, a := range n.Args {
		m.frame = m.frame || a.frame
	}
	t.nodes[k] = &m
	return &m
}

// Intern makes a node of the exported fields of n.
func (t *Table) Intern(n Node) *Node {
	n.loads, n.frame = 0, false
	return t.node(n)
}

// Compare orders nodes by what they are, of different tables too.
func Compare(a, b *Node) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	if c := cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Index, b.Index), strings.Compare(a.Name, b.Name), strings.Compare(a.Type, b.Type),
		cmp.Compare(a.Cap, b.Cap), Compare(a.Base, b.Base), Compare(a.Idx, b.Idx), slices.CompareFunc(a.Args, b.Args, Compare)); c != 0 {
		return c
	}
	if a.Loop != b.Loop {
		if a.Loop {
			return 1
		}
		return -1
	}
	return 0
}

// Root makes a root.
func (t *Table) Root(kind Kind, index int, name, typ string) *Node {
	return t.node(Node{Kind: kind, Index: int32(index), Name: name, Type: typ, Cap: -2})
}

// Result is what a call or a receive yields of which nothing is known.
func (t *Table) Result(index int, site, typ string, loop bool) *Node {
	return t.node(Node{Kind: Result, Index: int32(index), Name: site, Type: typ, Loop: loop, Cap: -2})
}

// Alloc makes the address, slice, map or channel of an allocation site.
func (t *Table) Alloc(site, typ string, loop bool, capacity int) *Node {
	return t.node(Node{Kind: Alloc, Name: site, Type: typ, Loop: loop, Cap: int32(capacity)})
}

// Closure makes a function value.
func (t *Table) Closure(fn string, args []*Node) *Node {
	return t.node(Node{Kind: Func, Name: fn, Args: args})
}

// Unknown is any value of a type.
func (t *Table) Unknown(typ string) *Node { return t.node(Node{Kind: Unknown, Type: typ}) }

// Const is a constant index.
func (t *Table) Const(i int) *Node { return t.node(Node{Kind: Const, Index: int32(i)}) }

// Value is an index that a register of the frame holds.
func (t *Table) Value(name string, loop bool) *Node {
	return t.node(Node{Kind: Value, Name: name, Loop: loop})
}

// Choice is what a register holds that has several paths.
func (t *Table) Choice(name, typ string) *Node {
	return t.node(Node{Kind: Choice, Name: name, Type: typ, Cap: -2})
}

// AnyOf is a synchronisation object that stands for one of several.
func (t *Table) AnyOf(objects []*Node) *Node {
	if len(objects) == 0 {
		return nil
	}
	return t.node(Node{Kind: Token, Base: objects[0], Name: "any", Args: objects})
}

// OverOf says that all goroutines that were started at a go statement, by its Token, have released
// an object.
func (t *Table) OverOf(token, object *Node) *Node {
	return t.node(Node{Kind: Token, Base: token, Name: Over, Args: []*Node{object}})
}

// Nil is the channel that is nil.
func (t *Table) Nil() *Node { return t.node(Node{Kind: Const, Index: nilIndex, Name: "nil"}) }

const nilIndex = -2

// IsNil reports whether the node is the channel that is nil.
func (n *Node) IsNil() bool { return n.Kind == Const && n.Index == nilIndex }

// Field is the address of a field.
func (t *Table) Field(base *Node, name string) *Node {
	return t.node(Node{Kind: Field, Base: base, Name: name})
}

// Elem is the address of an element. Of a slice with other bounds, which element is not known.
func (t *Table) Elem(base, idx *Node) *Node {
	if base.Kind == Sub {
		if base.Name == Other || idx != nil && idx.Kind == Const && idx.Index == All {
			idx = nil
		}
		base = base.Base
	}
	return t.node(Node{Kind: Elem, Base: base, Idx: idx})
}

// Bounds of a Sub. A prefix has the same indices, and so has a clip, which ends where its memory
// does: an append to it makes a new slice.
const (
	Other  = ""
	Prefix = "prefix"
	Clip   = "clip"
)

// Sub is base with other bounds.
func (t *Table) Sub(base *Node, bounds string) *Node {
	if base.Kind == Sub {
		if base.Name == bounds {
			return base
		}
		if base.Name == Other || bounds == Other {
			bounds = Other
		}
		base = base.Base
	}
	return t.node(Node{Kind: Sub, Base: base, Name: bounds})
}

// Load is what the address held; typ is the class of what that points to.
func (t *Table) Load(base *Node, typ string) *Node {
	if base.loads >= MaxDepth {
		return t.Unknown(typ)
	}
	return t.node(Node{Kind: Load, Base: base, Type: typ})
}

// Of makes a synchronisation object that belongs to base: Token, Recv or Locker.
func (t *Table) Of(kind Kind, base *Node, name string) *Node {
	return t.node(Node{Kind: kind, Base: base, Name: name})
}

// Root returns the root of the path.
func (n *Node) Root() *Node {
	for n.Base != nil {
		n = n.Base
	}
	return n
}

// Object returns the root of the memory that the address lies in: offsets are taken off, loads are
// not.
func (n *Node) Object() *Node {
	for n.Kind == Field || n.Kind == Elem || n.Kind == Sub {
		n = n.Base
	}
	return n
}

// Buffer is the capacity of a channel, if the site that makes it is known: −1 if it is not
// constant, −2 if nothing is known.
func (n *Node) Buffer() int {
	if n.Kind == Alloc {
		return int(n.Cap)
	}
	return -2
}

// Local reports whether the path begins at the frame: its meaning depends on the call.
func (n *Node) Local() bool { return n.frame }

// Formal reports whether the path begins at what the function is given.
func (n *Node) Formal() bool {
	r := n.Root()
	return r.Kind == Param || r.Kind == Free
}

// Loads counts the loads of the path.
func (n *Node) Loads() int { return int(n.loads) }

// Strip takes the interface off a value.
func (n *Node) Strip() *Node {
	for n != nil && n.Kind == Iface {
		n = n.Base
	}
	return n
}

// Within reports whether the memory of b lies in that of a: b is a, with more offsets.
func Within(a, b *Node) bool {
	for {
		if a == b {
			return true
		}
		if b.Kind != Field && b.Kind != Elem {
			return false
		}
		b = b.Base
	}
}

// Subst rebuilds n in t with its roots replaced; a root for which f returns nil is kept. Load steps
// are made by load, which may know what the address holds.
func (t *Table) Subst(n *Node, root func(*Node) *Node, load func(addr *Node, typ string) *Node) *Node {
	memo := map[*Node]*Node{}
	var sub func(n *Node) *Node
	sub = func(n *Node) *Node {
		if n == nil {
			return nil
		}
		if m, ok := memo[n]; ok {
			return m
		}
		m := root(n)
		if m == nil {
			c := *n
			c.frame, c.loads = false, 0
			if len(n.Args) > 0 {
				c.Args = make([]*Node, len(n.Args))
				for i, a := range n.Args {
					c.Args[i] = sub(a)
				}
			}
			if n.Base != nil {
				c.Base = sub(n.Base)
			}
			c.Idx = sub(n.Idx)
			switch {
			case n.Kind == Load:
				m = load(c.Base, n.Type)
			case n.Kind == Elem:
				m = t.Elem(c.Base, c.Idx)
			case n.Kind == Sub:
				m = t.Sub(c.Base, n.Name)
			default:
				m = t.node(c)
			}
		}
		memo[n] = m
		return m
	}
	return sub(n)
}
