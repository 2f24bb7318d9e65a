package footprint

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Errors and contexts of packages that are left out. Of most, what the methods say is set once: then nobody needs to know that the standard library calls them.

// statements are the interfaces whose values do not change, as far as the table is concerned, and what the standard library calls of them.
var statements = []struct {
	name       string
	is, called []string
}{
	{"error", []string{"Error"}, []string{"Error", "Is", "As", "Unwrap", "Timeout", "Temporary", "String"}},
	{"context.Context", contextMethods, contextMethods},
}

var contextMethods = []string{"Deadline", "Done", "Err", "Value"}

// Says returns the interfaces of which some type that is left out has the methods, and these write, call what is not known, or read what somebody writes to (F11).
func (k *Masker) Says() map[string]bool {
	says := map[string]bool{}
	var written map[string]bool
	for _, x := range statements {
		for _, t := range k.Types {
			p := types.NewPointer(t)
			if says[x.name] || types.IsInterface(t) || !hasMethods(p, x.is) {
				continue
			}
			if written == nil {
				written = k.written()
			}
			says[x.name] = k.varies(p, written)
		}
	}
	k.made, k.says = nil, says // what has been found so far takes them to vary
	return says
}

// varies reports whether methods of a type may do something else each time.
func (k *Masker) varies(t types.Type, written map[string]bool) bool {
	m := &Mask{}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		for _, fn := range k.Bodies {
			if fn.Object() != nil && fn.Object() == set.At(i).Obj() {
				m.add(k.Of(fn))
			}
		}
	}
	if m.Why != "" {
		return true
	}
	for s, e := range m.lines {
		s = strings.TrimSuffix(s, WholeLine)
		if e == Write || written[s] || strings.Contains(s, ".") && written[s[:strings.LastIndexByte(s, '.')]] {
			return true
		}
		for w := range written {
			if strings.HasPrefix(w, s+".") {
				return true
			}
		}
	}
	return false
}

// written returns the lines of what all code that is there writes to.
func (k *Masker) written() map[string]bool {
	list := k.Bodies
	if k.Code != nil {
		list = append(k.Code(), list...)
	}
	written := map[string]bool{}
	for _, fn := range list {
		if len(fn.Blocks) == 0 {
			continue
		}
		for s, e := range k.code(fn).mask.lines {
			if e == Write {
				written[strings.TrimSuffix(s, WholeLine)] = true
			}
		}
	}
	return written
}

// settled takes errors and contexts that a function of the standard library comes to: of those of types that are left out the methods may say something else each time; and reflection looks into them.
func (k *Masker) settled(c *coded, r *reacher, met map[string]bool) {
	for _, x := range statements {
		if !met[x.name] || k.says != nil && !k.says[x.name] {
			continue
		}
		k.implementations(c, x.called...)
		for _, t := range k.Types {
			if p := types.NewPointer(t); r.reflects && !types.IsInterface(t) && hasMethods(p, x.is) {
				r.holds(p)
			}
		}
	}
}

// Says tells the program of which interfaces that is so.
func (p *Program) Says(says map[string]bool) { p.says = says }

// asks reports whether a function of the standard library is given an error or a context that may be of a type that is left out, and whose methods may say something else each time (F11).
func (p *Program) asks(c *ssa.CallCommon, pkg string) bool {
	if len(p.says) == 0 || pkg == "" || p.module(pkg) {
		return false
	}
	if c.IsInvoke() {
		return p.says[typeName(c.Value.Type())]
	}
	found := false
	r := newReacher(p.traced)
	r.std, r.settled = true, func(name string) { found = found || p.says[name] }
	r.arguments(c, false)
	return found
}
