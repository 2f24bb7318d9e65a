// Package promise finds how many goroutines the makers of a type expect in its methods at once, as
// far as they say so: in comments, and in the interfaces that the type implements.
//
// # Comments
//
// A comment says many with the words of documentation: safe for concurrent use, may be called by
// multiple goroutines, thread-safe. After a negation the same words say one. A sentence that holds
// only sometimes (unless, once, only), or is about something else (the function that is passed),
// says nothing. A comment that says both says nothing.
//
// # Methods
//
// The comment of a method counts first, and then that of its type. If neither says anything, many
// is taken from the comments of the interface methods that it implements, and of these interfaces;
// one is taken from those of all interfaces that its type implements. If these say both, nothing is
// said.
//
// # Callbacks
//
// A callback is a method of an interface of another package that takes a context, if some caller
// reads the interface's value from a field of an object, and passes that object to the method. A
// method that belonged to one object would not need that argument, and each call has a request's
// context. So one callback is expected to be shared, and called by many, if no comment says one:
//
//	type QueryTracer interface{ TraceQueryEnd(context.Context, *Conn) }
//	func (c *Conn) Exec(ctx context.Context) { defer c.tracer.TraceQueryEnd(ctx, c) }
//
// A method without such an argument may belong to its holder alone: a transaction takes a context,
// too, because it waits.
//
// # Soundness
//
// Comments may be wrong. Interfaces are those of the package itself and of its direct imports; what
// has type parameters implements none. A method that is promoted from an embedded field is not
// looked at.
package promise

import "strings"

// Package is what a package says.
type Package struct {
	Notes []Note
	Types []Type
}

// Note is what the comment of a type, a method, an interface or an interface's method says.
type Note struct {
	Name    string
	Verdict Verdict
}

// Type is a type with methods.
type Type struct {
	Name    string
	Methods []Method
	Ifaces  []string // that it implements
}

// Method is an exported method.
type Method struct {
	Key, Name string
	Context   bool     // its first parameter is a context
	Ifaces    []string // that have it
}

// Expected says how many goroutines are expected in methods at once, by their keys, where anything
// is said. passed reports whether calls of an interface pass the object that holds the value.
func Expected(pkgs []*Package, passed func(iface string) bool) map[string]Verdict {
	notes := map[string]Verdict{}
	for _, p := range pkgs {
		for _, n := range p.Notes {
			notes[n.Name] = n.Verdict
		}
	}
	out := map[string]Verdict{}
	for _, p := range pkgs {
		for i := range p.Types {
			t := &p.Types[i]
			for j := range t.Methods {
				m := &t.Methods[j]
				if v := t.expected(m, notes, passed); v != None {
					out[m.Key] = v
				}
			}
		}
	}
	return out
}

// expected is the verdict of a method.
func (t *Type) expected(m *Method, notes map[string]Verdict, passed func(string) bool) Verdict {
	for _, own := range []string{m.Key, t.Name} {
		if v := notes[own]; v != None {
			return v
		}
	}
	var one, many, called bool
	for _, i := range t.Ifaces {
		one = one || notes[i] == One
	}
	for _, i := range m.Ifaces {
		method := i + "." + m.Name
		one = one || notes[method] == One
		many = many || notes[method] == Many || notes[method] == None && notes[i] == Many
		called = called || m.Context && packageOf(i) != packageOf(t.Name) && passed(i)
	}
	switch {
	case one && many:
		return None
	case one:
		return One
	case many || called:
		return Many
	}
	return None
}

// packageOf is the package of a type.
func packageOf(name string) string { return name[:strings.LastIndexByte(name, '.')] }
