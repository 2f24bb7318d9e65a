package path

import (
	"fmt"
	"regexp"
	"strings"
)

// Names says how the roots of a frame are written.
type Names struct {
	Params, Free []string
}

// String writes the path as a Go expression, as far as there is one.
func (n *Node) String() string { return n.Expr(nil) }

// Expr writes the path with the frame's own names.
func (n *Node) Expr(names *Names) string {
	switch n.Kind {
	case Param:
		return nth(names, func(m *Names) []string { return m.Params }, int(n.Index), "param")
	case Free:
		return nth(names, func(m *Names) []string { return m.Free }, int(n.Index), "free")
	case Global:
		return "&" + short(n.Name)
	case Alloc:
		return "&" + label(n)
	case Result, Choice:
		return label(n)
	case Func:
		return short(n.Name)
	case Unknown:
		return "(" + short(n.Type) + ")"
	case Const:
		return fmt.Sprint(n.Index)
	case Value:
		if s := label(n); s != "range" && !register.MatchString(s) {
			return s
		}
		return "…" // without a name in the source
	case Field:
		return "&" + n.place(names)
	case Elem:
		return "&" + n.place(names)
	case Sub:
		return n.Base.Expr(names) + "[:]"
	case Load:
		return n.Base.place(names)
	case Token:
		if n.Base != nil {
			return n.Base.place(names)
		}
		return "go " + n.Name
	case Recv:
		return "receive from " + n.Base.Expr(names)
	case Iface:
		return n.Base.Expr(names)
	case Locker:
		return n.Base.Expr(names) + ".RLocker()"
	}
	return "?"
}

// Place writes the memory at the address n.
func (n *Node) Place(names *Names) string { return n.place(names) }

func (n *Node) place(names *Names) string {
	switch n.Kind {
	case Global:
		return short(n.Name)
	case Alloc:
		return label(n)
	case Field:
		f := n.Name[strings.LastIndexByte(n.Name, '.')+1:]
		b := n.Base.Expr(names)
		if p, ok := strings.CutPrefix(b, "&"); ok {
			b = p
		}
		return b + "." + f
	case Elem:
		b := strings.TrimPrefix(n.Base.Expr(names), "&")
		if n.Idx == nil || n.Idx.Kind == Const && n.Idx.Index == All {
			return b + "[…]"
		}
		return b + "[" + n.Idx.Expr(names) + "]"
	case Free:
		return n.Expr(names)
	}
	return "*" + n.Expr(names)
}

var register = regexp.MustCompile(`^t[0-9]+$`)

// label is the variable of an allocation site; its key is name#place.
func label(n *Node) string {
	s, _, _ := strings.Cut(n.Name, "#")
	if strings.Contains(s, " ") {
		return "(" + s + ")"
	}
	return s
}

func nth(names *Names, of func(*Names) []string, i int, word string) string {
	if names != nil {
		if list := of(names); i < len(list) {
			return list[i]
		}
	}
	return fmt.Sprintf("%s%d", word, i)
}

// short drops the directories of an import path.
func short(s string) string {
	star := strings.HasPrefix(s, "*")
	s = strings.TrimPrefix(s, "*")
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		s = s[i+1:]
	}
	if star {
		return "*" + s
	}
	return s
}

// Key writes the path so that frames and packages agree: $i and ^i for formals, @g for globals, ?
// and the type for what is not known, % for one of several; ! before a field, [] for an element, *
// for a load.
func (n *Node) Key() string {
	switch n.Kind {
	case Param:
		return fmt.Sprintf("$%d", n.Index)
	case Free:
		return fmt.Sprintf("^%d", n.Index)
	case Global:
		return "@" + n.Name
	case Field:
		return n.Base.Key() + "!" + n.Name
	case Elem:
		return n.Base.Key() + "[]"
	case Load:
		return n.Base.Key() + "*"
	case Sub, Iface, Locker:
		return n.Base.Key()
	case Choice:
		return "%" + n.Name
	case Token:
		if n.Base != nil {
			return n.Base.Key() + "#" + n.Name
		}
	}
	return "?" + n.Type
}

// Class is what two locations must share to be one.
func (n *Node) Class() string {
	switch n.Kind {
	case Global:
		return "var " + n.Name
	case Alloc:
		return "alloc " + n.Name
	case Field:
		if o := n.Object(); o.Kind == Global {
			return n.Base.Class() + n.Name[strings.LastIndexByte(n.Name, '.'):]
		}
		if f, ok := strings.CutPrefix(n.Name, "struct."); ok {
			// of a struct without a name: by where that is
			return n.Base.contents() + ":" + f
		}
		return n.Name
	case Elem:
		return n.Base.contents() + "[]"
	}
	return n.contents()
}

// contents is the class of the memory that the value n points to.
func (n *Node) contents() string {
	switch n.Kind {
	case Load:
		return "*" + n.Base.Class()
	case Sub:
		return n.Base.contents()
	case Global, Alloc, Field, Elem:
		return n.Class()
	}
	return "(" + n.Type + ")"
}
