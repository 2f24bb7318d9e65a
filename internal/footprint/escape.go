package footprint

import (
	"go/token"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Program is what footprints need to know of all the traced code: which memory its values can lead other code to.
// Add every function, then ask.
type Program struct {
	traced       Traced
	missing      map[string]bool              // packages left out of the trace
	marks        []string                     // "path." of the traced packages
	shared       map[string]bool              // names reached by values in interfaces and by type arguments (E1)
	modules      bool                         // there is untraced code outside the standard library
	open         map[any]bool                 // variables and fields of which an address is a value (E2)
	bindings     map[*ssa.FreeVar][]ssa.Value // what closures are made with
	captured     []*ssa.FreeVar               // open, of which the bindings may not be yet
	seen         map[place]bool               // by share
	exposed      bool                         // other packages may import traced ones: (E1) and (E2) do not hold
	instantiated bool                         // a generic type of another package has traced types for arguments, perhaps
	logs         bool                         // the program sets or takes the output of package log
	matchers     bool                         // the program changes a Regexp
	says         map[string]bool              // interfaces of which values of types that are left out may say something else each time
	flags        bool                         // the program sets flags by their names
	values       values
	kept         kept
	handed       handed
	own          map[string]bool // names, with a traced type in them or not
	declared     []types.Type    // by traced packages
	loads        *loads
	generic      generic
	anyInstance  bool // values lead to instances of which nothing is known (G4)
	changed      changed
	settled      bool // shared has no type parameters that have not been replaced
}

// NewProgram returns a Program without functions. paths are those of the traced packages, missing those of packages that are left out, wherever they are.
func NewProgram(paths, missing []string) *Program {
	set := make(map[string]bool)
	p := &Program{
		missing: make(map[string]bool),
		shared:  make(map[string]bool), open: make(map[any]bool), bindings: make(map[*ssa.FreeVar][]ssa.Value), own: make(map[string]bool), seen: make(map[place]bool), values: newValues(), kept: newKept(),
		generic: newGeneric(), changed: newChanged(),
	}
	for _, path := range paths {
		set[path] = true
		p.marks = append(p.marks, path+".")
	}
	for _, path := range missing {
		p.missing[path] = true
	}
	p.traced = func(path string) bool { return set[path] }
	return p
}

// Instances adds the type arguments that a package names (E1, G2), and the types and type parameters that it declares.
func (p *Program) Instances(info *types.Info) {
	if info == nil {
		return
	}
	for id, inst := range info.Instances {
		if obj, ok := info.Uses[id].(*types.TypeName); ok && obj.Pkg() != nil && !p.traced(obj.Pkg().Path()) && obj.Pkg().Path() != "sync/atomic" {
			p.instantiated = true
		}
		p.generic.instance(info.Uses[id], inst.TypeArgs)
		for i := range inst.TypeArgs.Len() {
			p.share(inst.TypeArgs.At(i), true)
		}
	}
	for _, obj := range info.Defs { // the order does not matter
		p.generic.declare(obj)
		if t, ok := obj.(*types.TypeName); ok {
			p.declared = append(p.declared, types.Unalias(t.Type()))
		}
	}
}

// Import adds a package that the program refers to. ours says that all traced packages are of the main module, so that
// no other can import them but by what imports says.
func (p *Program) Import(path string, imports []*types.Package, ours bool) {
	if p.traced(path) || !strings.Contains(first(path), ".") && !p.missing[path] {
		return
	}
	p.modules, p.exposed = true, p.exposed || !ours
	for _, i := range imports {
		p.exposed = p.exposed || p.traced(i.Path())
	}
}

// Add adds a function, without those inside it.
func (p *Program) Add(fn *ssa.Function) {
	var space [10]*ssa.Value
	p.callable(fn)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			for i, v := range in.Operands(space[:0]) {
				if *v != nil && !direct(in, i, *v) {
					p.addressTaken(*v)
					p.taken(in, *v)
				}
			}
			p.handedOut(in)
			p.note(in)
			p.give(in)
			p.hand(in)
			p.change(in)
		}
	}
}

// AddMissing adds a function of a package that is left out, for what it changes of the standard library.
func (p *Program) AddMissing(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			for _, v := range in.Operands(nil) {
				if f, ok := (*v).(*ssa.Function); ok {
					p.changes(f.String())
				}
			}
		}
	}
}

// changes notes what a function of the standard library changes for all calls of its package.
func (p *Program) changes(name string) {
	switch name {
	case "log.SetOutput", "log.Default", "log/slog.SetDefault":
		p.logs = true
	case "(*regexp.Regexp).Longest", "(*regexp.Regexp).UnmarshalText":
		p.matchers = true
	case "flag.Set", "(*flag.FlagSet).Set":
		p.flags = true
	}
}

// handedOut notes what an instruction shows to code outside (E1).
func (p *Program) handedOut(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.MakeInterface:
		p.share(in.X.Type(), false)
	case *ssa.TypeAssert:
		p.share(in.AssertedType, false)
	case *ssa.Convert:
		if b, ok := in.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
			p.share(in.X.Type(), false)
		}
	case *ssa.MakeClosure:
		fn := in.Fn.(*ssa.Function)
		for i, b := range in.Bindings {
			if i < len(fn.FreeVars) {
				p.bindings[fn.FreeVars[i]] = append(p.bindings[fn.FreeVars[i]], b)
			}
		}
	case ssa.CallInstruction:
		c := in.Common()
		name, pkg := callee(c)
		p.changes(name)
		if pkg != "" && !p.traced(pkg) {
			for _, a := range c.Args {
				p.share(a.Type(), false)
			}
		}
	}
}

// onlyOurs reports whether only traced types implement an interface: one of its methods has
// a traced type in its signature, and other packages do not know of these (F7).
func (p *Program) onlyOurs(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || p.instantiated || p.exposed {
		return false
	}
	for k := range i.NumMethods() {
		m := i.Method(k)
		if !m.Exported() && m.Pkg() != nil && p.traced(m.Pkg().Path()) || p.ours(spelling(m.Signature())) {
			return true
		}
	}
	return false
}

// share adds what a value of type t leads to; whole: also a variable of the type.
func (p *Program) share(t types.Type, whole bool) {
	p.settled = false
	r := reacher{traced: p.traced, seen: p.seen, set: p.shared}
	if whole {
		r.memory(t)
	} else {
		r.holds(t)
	}
}

// direct reports whether operand i of an instruction is only the address accessed, or where the address of
// a part is computed from, or a variable that a closure captures.
func direct(in ssa.Instruction, i int, v ssa.Value) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.MUL
	case *ssa.Store:
		return i == 0 && v == in.Addr && in.Val != v
	case *ssa.FieldAddr, *ssa.DebugRef:
		return true
	case *ssa.IndexAddr:
		return v == in.X
	case *ssa.MakeClosure:
		fn, ok := in.Fn.(*ssa.Function)
		return ok && fn.Parent() != nil
	}
	return false
}

// addressTaken notes that an address is a value of its own (E2): of a variable or a part of one.
func (p *Program) addressTaken(v ssa.Value) {
	p.exposes(v)
	switch v := v.(type) {
	case *ssa.Global:
		p.open[globalKey(v)] = true
	case *ssa.Alloc:
		p.open[v] = true
	case *ssa.FreeVar:
		p.open[v] = true
		p.captured = append(p.captured, v)
	case *ssa.FieldAddr:
		p.open[fieldKey(v)] = true
		p.addressTaken(v.X)
	case *ssa.IndexAddr:
		if _, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			p.addressTaken(v.X)
		}
	}
}

func globalKey(g *ssa.Global) string { return g.RelString(nil) }

// fieldKey names a field for all instances of its struct. A struct type without a name is as good as another with the same fields.
func fieldKey(f *ssa.FieldAddr) string {
	t := types.Unalias(deref(f.X.Type()))
	s, ok := t.Underlying().(*types.Struct)
	if n, named := t.(*types.Named); named {
		t = n.Origin()
	}
	switch _, named := t.(*types.Named); {
	case !ok:
		return typeName(t)
	case named:
		return typeName(t) + "." + s.Field(f.Field).Name()
	}
	var names []string
	for field := range s.Fields() {
		names = append(names, field.Name())
	}
	return strings.Join(names, ";") + "." + s.Field(f.Field).Name()
}

// uncapture opens what the closures captured that take its address. They may have been added before the closure was made.
func (p *Program) uncapture() {
	for len(p.captured) > 0 {
		v := p.captured[len(p.captured)-1]
		p.captured = p.captured[:len(p.captured)-1]
		for _, b := range p.bindings[v] {
			if f, ok := b.(*ssa.FreeVar); !ok || !p.open[f] {
				p.addressTaken(b)
			}
		}
	}
}

// hidden reports whether the address leads to a variable, or a part of one, that only traced code can
// access: nobody has its address (E2).
func (p *Program) hidden(addr ssa.Value) bool {
	if p.exposed {
		return false
	}
	p.uncapture()
	switch v := addr.(type) {
	case *ssa.Global:
		return v.Pkg != nil && p.traced(v.Pkg.Pkg.Path()) && !p.open[globalKey(v)]
	case *ssa.Alloc:
		return !p.open[v]
	case *ssa.FreeVar:
		made := p.bindings[v]
		if p.open[v] || len(made) == 0 {
			return false
		}
		for _, b := range made {
			if !p.hidden(b) {
				return false
			}
		}
		return true
	case *ssa.FieldAddr:
		return p.hidden(v.X)
	case *ssa.IndexAddr:
		_, ok := v.X.Type().Underlying().(*types.Pointer)
		return ok && p.hidden(v.X)
	}
	return false
}

// sharedNames drops from the names of an access those that no value leads other code to (E1), and marks those with traced types.
func (p *Program) sharedNames(names map[string]bool) []string {
	p.settle()
	r := reacher{}
	for n := range names {
		if !p.ours(n) {
			r.add(n)
		} else if p.shared[n] || p.exposed || p.anyInstance {
			r.add(mark + n)
		}
	}
	return r.names()
}

// settle gives the names that values lead to, which are complete now, those of all instances.
func (p *Program) settle() {
	if p.settled {
		return
	}
	p.settled = true
	for n := range maps.Clone(p.shared) {
		names, unknown := p.expand(map[string]bool{n: true})
		maps.Copy(p.shared, names)
		p.anyInstance = p.anyInstance || unknown
	}
}

// name gives a call the names.
func (p *Program) name(s *Set, names map[string]bool) {
	s.Types = p.marked(names)
	if _, unknown := p.expand(names); unknown {
		s.Scope = max(s.Scope, Shared)
	}
}

// marked are the names of a call. Of instances of which nothing is known it has the names of their type parameters, so that it is not empty:
// what generic code touches there is Shared.
func (p *Program) marked(names map[string]bool) []string {
	r := reacher{}
	all, unknown := p.expand(names)
	if unknown {
		all = maps.Clone(all)
		maps.Copy(all, names)
	}
	for n := range all {
		if p.ours(n) {
			n = mark + n
		}
		r.add(n)
	}
	return r.names()
}

// mark precedes the names that have a traced type in them.
const mark = "!"

// ours reports whether a name has a traced type in it.
func (p *Program) ours(name string) bool {
	known, ok := p.own[name]
	if !ok {
		for _, m := range p.marks {
			if known = strings.Contains(name, m); known {
				break
			}
		}
		p.own[name] = known
	}
	return known
}
