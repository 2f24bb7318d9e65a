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

// Mutex is one of S1, with its operations.
type Mutex struct {
	Name string // as cache.Cache.mu
	File string // below the module's directory
	Line int    // of its declaration
	Kept string // why its operations stay (S4)
	ops  map[place]*op
}

// place is where an operation begins.
type place struct {
	file   string // below the module's directory
	offset int
}

// op is an operation: what begins there and ends at end gets another text, in which the operand stays.
type op struct {
	line    int
	end     int
	operand [2]int // its offsets
	before  string
}

// Find lists the mutexes of packages of the module in dir and of those that they import, their tests included, in the order of their files and lines.
func Find(ctx context.Context, dir string, flags []string, patterns ...string) ([]*Mutex, error) {
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
	f := finder{fset: fset, dir: dir, all: map[string]*Mutex{}, types: map[token.Position]string{}}
	for _, do := range []func(*types.Info, *ast.File){f.declared, f.used} {
		for _, p := range list {
			if len(p.Errors) > 0 {
				return nil, fmt.Errorf("loading packages: %w", p.Errors[0])
			}
			for _, file := range p.Syntax {
				if _, ok := f.below(file.FileStart); ok {
					do(p.TypesInfo, file)
				}
			}
		}
	}
	var all []*Mutex
	for _, m := range f.all {
		if m.Kept == "" && len(m.ops) == 0 {
			m.Kept = "it has no operation"
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(x, y *Mutex) int {
		return cmp.Or(strings.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), strings.Compare(x.Name, y.Name))
	})
	return all, nil
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
	all  map[string]*Mutex // by place of declaration: packages that are loaded with and without tests have objects of their own
	// types are the names of the types in whose declarations identifiers are.
	types map[token.Position]string
}

// below is the name of the file of a position, if it is one of the module's.
func (f *finder) below(pos token.Pos) (string, bool) {
	rel, err := filepath.Rel(f.dir, f.fset.Position(pos).Filename)
	return rel, err == nil && filepath.IsLocal(rel) && strings.HasSuffix(rel, ".go")
}

// declared finds the mutexes that a file declares.
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
		if v, ok := o.(*types.Var); ok && isMutex(v.Type()) && v.Pos() >= file.FileStart && v.Pos() < file.FileEnd {
			f.mutex(v)
		}
	}
}

// used finds what a file does with mutexes.
func (f *finder) used(info *types.Info, file *ast.File) {
	done := map[*ast.Ident]bool{} // what names a mutex for an operation
	inner := map[ast.Node]ast.Node{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			inner[n.X] = n
		case *ast.DeferStmt:
			inner[n.Call] = n
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				f.call(info, n, sel, inner[n], done)
			}
		case *ast.KeyValueExpr: // of a literal: its first value
			if id, ok := n.Key.(*ast.Ident); ok {
				done[id] = true
			}
		case *ast.SelectorExpr:
			// A method of an embedded mutex that is a value names none.
			if v, promoted := owner(info, n); v != nil && promoted && !done[n.Sel] {
				f.keep(v, "a method of it is a value")
			}
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && isMutex(v.Type()) && !done[n] {
				f.keep(v, "something else is done with it")
			}
		}
		return true
	})
}

// mutex is that of a variable; nil if it is not the module's.
func (f *finder) mutex(v *types.Var) *Mutex {
	v = v.Origin()
	rel, ok := f.below(v.Pos())
	if !ok {
		return nil
	}
	pos := f.fset.Position(v.Pos())
	key := fmt.Sprintf("%s:%d:%s", rel, pos.Line, v.Name())
	m := f.all[key]
	if m == nil {
		m = &Mutex{Name: f.types[pos] + v.Name(), File: rel, Line: pos.Line, ops: map[place]*op{}}
		if v.Pkg() != nil {
			m.Name = v.Pkg().Name() + "." + m.Name
		}
		f.all[key] = m
	}
	return m
}

func (f *finder) keep(v *types.Var, why string) {
	if m := f.mutex(v); m != nil && m.Kept == "" {
		m.Kept = why
	}
}

// call notes an operation on a mutex.
func (f *finder) call(info *types.Info, call *ast.CallExpr, sel *ast.SelectorExpr, stmt ast.Node, done map[*ast.Ident]bool) {
	v, promoted := owner(info, sel)
	if v == nil {
		return
	}
	done[sel.Sel] = true
	if !promoted {
		done[named(sel.X)] = true
	}
	m := f.mutex(v)
	if m == nil {
		return
	}
	o := &op{line: f.fset.Position(sel.Sel.Pos()).Line, end: f.offset(call.End()), operand: [2]int{f.offset(sel.X.Pos()), f.offset(sel.X.End())}}
	from := call.Pos()
	switch _, pointer := info.TypeOf(sel.X).Underlying().(*types.Pointer); {
	case stmt == nil && (sel.Sel.Name == "TryLock" || sel.Sel.Name == "TryRLock"):
		o.operand = [2]int{o.end, o.end}
		o.before = "true"
	case stmt == nil || sel.Sel.Name == "RLocker":
		f.keep(v, "the call of a method is no statement")
		return
	case pointer:
		from, o.before = stmt.Pos(), "_ = "
	default:
		from, o.before = stmt.Pos(), "_ = &"
	}
	file, _ := f.below(from)
	m.ops[place{file, f.offset(from)}] = o
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// owner is the mutex whose method a selector names, and whether it is embedded in what stands before the dot.
func owner(info *types.Info, sel *ast.SelectorExpr) (v *types.Var, promoted bool) {
	s := info.Selections[sel]
	if s == nil || s.Kind() == types.FieldVal {
		return nil, false
	}
	method, ok := s.Obj().(*types.Func)
	if !ok || method.Pkg() == nil || method.Pkg().Path() != "sync" || !isMutex(deref(method.Signature().Recv().Type())) {
		return nil, false
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		v = deref(t).Underlying().(*types.Struct).Field(i)
		t = v.Type()
	}
	if v != nil {
		if !isMutex(v.Type()) { // embedded as a pointer
			return nil, false
		}
		return v, true
	}
	id := named(sel.X)
	if id == nil {
		return nil, false
	}
	v, _ = info.Uses[id].(*types.Var)
	if v == nil || !isMutex(v.Type()) { // behind a pointer
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

// isMutex reports whether a variable of type t is a mutex (S1).
func isMutex(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		o := t.Obj()
		return o.Pkg() != nil && o.Pkg().Path() == "sync" && (o.Name() == "Mutex" || o.Name() == "RWMutex")
	case *types.Array:
		return isMutex(t.Elem())
	case *types.Slice:
		return isMutex(t.Elem())
	}
	return false
}
