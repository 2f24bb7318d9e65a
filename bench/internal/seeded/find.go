package seeded

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Find lists what can be seeded in packages of the module in dir and in those that they import,
// their tests included: by operator, file and line.
func Find(ctx context.Context, dir string, flags []string, patterns ...string) ([]*Seed, error) {
	patterns, err := own(ctx, dir, flags, patterns)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	list, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
		Context: ctx, Dir: dir, BuildFlags: flags, Fset: fset, Tests: true,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("loading packages: %w", err)
	}
	f := finder{fset: fset, dir: dir, all: map[string]*Seed{}, types: map[token.Position]string{}, texts: map[string]string{}}
	for _, do := range []func(*types.Info, *ast.File){f.declared, f.used} {
		for _, p := range list {
			if len(p.Errors) > 0 {
				return nil, fmt.Errorf("loading packages: %w", p.Errors[0])
			}
			for _, file := range p.Syntax {
				if _, ok := f.below(file.FileStart); ok {
					f.pkg = p.Types
					do(p.TypesInfo, file)
				}
			}
		}
	}
	var all []*Seed
	for _, m := range f.all {
		switch {
		case m.Operator == "": // a variable that nothing atomic is done with
			continue
		case m.Kept == "" && len(m.ops) == 0:
			m.Kept = "it has no operation"
		}
		if all = append(all, m); m.Kept == "" {
			if r := m.readers(); r != nil {
				all = append(all, r)
			}
		}
	}
	slices.SortFunc(all, func(x, y *Seed) int {
		return cmp.Or(cmp.Compare(slices.Index(Operators, x.Operator), slices.Index(Operators, y.Operator)), strings.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), strings.Compare(x.Name, y.Name))
	})
	return all, nil
}

// readers is the seed of operator readers; nil if all operations are of one sort.
func (s *Seed) readers() *Seed {
	r := &Seed{Operator: Readers, Name: s.Name, File: s.File, Line: s.Line, ops: map[place]*op{}}
	for p, o := range s.ops {
		if o.reader {
			r.ops[p] = o
		}
	}
	if len(r.ops) == 0 || len(r.ops) == len(s.ops) {
		return nil
	}
	return r
}

// own lists the packages of the module that are meant, with those that they import.
func own(ctx context.Context, dir string, flags, patterns []string) ([]string, error) {
	list, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps,
		Context: ctx, Dir: dir, BuildFlags: flags, Tests: true,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	found := map[string]bool{}
	packages.Visit(list, nil, func(p *packages.Package) {
		if len(p.GoFiles) == 0 {
			return
		}
		if rel, err := filepath.Rel(dir, filepath.Dir(p.GoFiles[0])); err == nil && filepath.IsLocal(rel) {
			found["./"+filepath.ToSlash(rel)] = true
		}
	})
	return slices.Sorted(maps.Keys(found)), nil
}

type finder struct {
	fset *token.FileSet
	dir  string
	// by place of declaration: packages that are loaded with and without tests have objects of
	// their own
	all map[string]*Seed
	// types are the names of the types in whose declarations identifiers are.
	types map[token.Position]string
	texts map[string]string // of files
	// Of the file that is looked at:
	pkg     *types.Package
	imports map[string]string // names, by path
}

// below is the name of the file of a position, if it is one of the module's.
func (f *finder) below(pos token.Pos) (string, bool) {
	rel, err := filepath.Rel(f.dir, f.fset.Position(pos).Filename)
	return rel, err == nil && filepath.IsLocal(rel) && strings.HasSuffix(rel, ".go")
}

// declared finds the objects that a file declares.
func (f *finder) declared(info *types.Info, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok {
			ast.Inspect(t.Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					f.types[f.fset.Position(id.Pos())] = t.Name.Name + "."
				}
				return true
			})
		}
		return true
	})
	for _, o := range info.Defs {
		if v, ok := o.(*types.Var); ok && v.Pos() >= file.FileStart && v.Pos() < file.FileEnd {
			if op := operatorOf(v.Type()); op != "" {
				f.object(v, op)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			f.typed(info, n.Names, n.Type, file)
		case *ast.ValueSpec:
			f.typed(info, n.Names, n.Type, file)
		}
		return true
	})
}

// used finds what a file does with objects.
func (f *finder) used(info *types.Info, file *ast.File) {
	f.enter(file)
	done := map[*ast.Ident]bool{} // what names an object for an operation
	inner := map[ast.Node]ast.Node{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			inner[n.X] = n
		case *ast.DeferStmt:
			inner[n.Call] = n
		case *ast.GoStmt:
			inner[n.Call] = n
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				f.call(info, n, sel, inner[n], done)
			}
		case *ast.KeyValueExpr: // of a literal: its first value
			if id, ok := n.Key.(*ast.Ident); ok {
				if v, ok := info.Uses[id].(*types.Var); !ok || operatorOf(v.Type()) == Mutex {
					done[id] = true
				}
			}
		case *ast.UnaryExpr:
			f.address(info, n, done)
		case *ast.SelectorExpr:
			// A method of an embedded mutex that is a value names none.
			if v, promoted := owner(info, n); v != nil && promoted && !done[n.Sel] {
				f.keep(v, "a method of it is a value")
			}
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && operatorOf(v.Type()) != "" && !done[n] {
				f.keep(v, "something else is done with it")
			}
		}
		return true
	})
}

// enter begins a file.
func (f *finder) enter(file *ast.File) {
	f.imports = map[string]string{}
	for _, i := range file.Imports {
		path := strings.Trim(i.Path.Value, "`\"")
		f.imports[path] = path[strings.LastIndexByte(path, '/')+1:]
		if i.Name != nil {
			f.imports[path] = i.Name.Name
		}
	}
}

// object is the seed of a variable; nil if it is not the module's.
func (f *finder) object(v *types.Var, o Operator) *Seed {
	v = v.Origin()
	rel, ok := f.below(v.Pos())
	if !ok {
		return nil
	}
	pos := f.fset.Position(v.Pos())
	key := fmt.Sprintf("%s:%d:%d:%s", rel, pos.Line, pos.Column, v.Name())
	m := f.all[key]
	if m == nil {
		m = &Seed{Name: f.types[pos] + v.Name(), File: rel, Line: pos.Line, ops: map[place]*op{}, ends: map[string]edit{}}
		if v.Pkg() != nil {
			m.Name = v.Pkg().Name() + "." + m.Name
		}
		f.all[key] = m
	}
	if o != "" {
		m.Operator = o
	}
	return m
}

func (f *finder) keep(v *types.Var, why string) {
	if m := f.object(v, ""); m != nil && m.Kept == "" {
		m.Kept = why
	}
}

// call notes an operation.
func (f *finder) call(info *types.Info, call *ast.CallExpr, sel *ast.SelectorExpr, stmt ast.Node, done map[*ast.Ident]bool) {
	if fn, ok := info.Uses[sel.Sel].(*types.Func); ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" && fn.Signature().Recv() == nil {
		f.function(info, call, fn, stmt, done)
		return
	}
	v, promoted := owner(info, sel)
	if v == nil {
		return
	}
	kind := operatorOf(v.Type())
	done[sel.Sel] = true
	if !promoted {
		done[named(sel.X)] = true
	}
	s := f.object(v, kind)
	if s == nil {
		return
	}
	u := use{finder: f, info: info, seed: s, v: v, call: call, stmt: stmt, x: sel.X, args: call.Args, name: sel.Sel.Name, line: f.fset.Position(sel.Sel.Pos()).Line}
	switch kind {
	case Mutex:
		u.mutex()
	case Once:
		u.once(promoted)
	case Atomic:
		u.atomic(promoted)
	}
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// owner is the object whose method a selector names, and whether it is embedded in what stands
// before the dot.
func owner(info *types.Info, sel *ast.SelectorExpr) (v *types.Var, promoted bool) {
	s := info.Selections[sel]
	if s == nil || s.Kind() == types.FieldVal {
		return nil, false
	}
	method, ok := s.Obj().(*types.Func)
	if !ok || method.Pkg() == nil || operatorOf(deref(method.Signature().Recv().Type())) == "" {
		return nil, false
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		v = deref(t).Underlying().(*types.Struct).Field(i)
		t = v.Type()
	}
	if v != nil {
		if operatorOf(v.Type()) == "" { // embedded as a pointer
			return nil, false
		}
		return v, true
	}
	id := named(sel.X)
	if id == nil {
		return nil, false
	}
	v, _ = info.Uses[id].(*types.Var)
	if v == nil || operatorOf(v.Type()) == "" { // behind a pointer
		return nil, false
	}
	return v, false
}

// named is the identifier of the field or the variable that an expression is, or is an element of.
func named(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return named(e.X)
	}
	return nil
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// operatorOf is the operator of an object of type t; "" for none.
func operatorOf(t types.Type) Operator {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		o := t.Obj()
		if o.Pkg() == nil {
			return ""
		}
		switch path, name := o.Pkg().Path(), o.Name(); {
		case path == "sync" && (name == "Mutex" || name == "RWMutex"):
			return Mutex
		case path == "sync" && name == "Once":
			return Once
		case path == "sync/atomic" && name != "Value" && name != "Uintptr":
			return Atomic
		}
	case *types.Array:
		return operatorOf(t.Elem())
	case *types.Slice:
		return operatorOf(t.Elem())
	}
	return ""
}
