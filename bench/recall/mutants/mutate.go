package mutants

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mutant is one change of one file.
type mutant struct {
	op        string // operator
	pkg       string // import path of the package
	file      string // below the module's directory
	line, col int
	fn        string // the function that encloses the change
	what      string // the expression it is about
	edits     []edit
	tests     []string // packages whose tests import pkg
	executed  bool     // by them
}

// id names a mutant in the state file. It does not depend on the seed.
func (m *mutant) id() string {
	if m.op == original {
		return original
	}
	return fmt.Sprintf("%s %s:%d:%d", m.op, m.file, m.line, m.col)
}

// original is the operator that changes nothing.
const original = "original"

// edit replaces the text between two offsets.
type edit struct {
	from, to int
	text     string
}

// apply makes all edits of a text. Edits do not overlap.
func apply(text []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(x, y edit) int { return cmp.Compare(y.from, x.from) })
	for _, e := range edits {
		text = slices.Concat(text[:e.from], []byte(e.text), text[e.to:])
	}
	return text
}

// mutants lists the mutants of a package's files, tests left out, in the order of the source.
func mutants(p *packages.Package, dir string) ([]*mutant, error) {
	var all []*mutant
	for _, f := range p.Syntax {
		name := p.Fset.File(f.FileStart).Name()
		rel, err := filepath.Rel(dir, name)
		if err != nil || !filepath.IsLocal(rel) || strings.HasSuffix(name, "_test.go") || ast.IsGenerated(f) || importName(f, "C") != "" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		m := &mutator{fset: p.Fset, info: p.TypesInfo, pkg: p.PkgPath, rel: filepath.ToSlash(rel), text: text, file: f}
		m.walk()
		all = append(all, m.all...)
	}
	slices.SortStableFunc(all, func(x, y *mutant) int {
		return cmp.Or(strings.Compare(x.file, y.file), cmp.Compare(x.line, y.line), cmp.Compare(x.col, y.col))
	})
	return all, nil
}

// mutator collects the mutants of one file.
type mutator struct {
	fset *token.FileSet
	info *types.Info
	pkg  string
	rel  string
	text []byte
	file *ast.File
	fn   string
	all  []*mutant
}

func (m *mutator) walk() {
	bodies := map[*ast.BlockStmt]bool{} // of functions
	inStmt := map[*ast.CallExpr]ast.Stmt{}
	for _, d := range m.file.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			continue
		}
		m.fn = fd.Name.Name
		if fd.Recv != nil && len(fd.Recv.List) == 1 {
			m.fn = fmt.Sprintf("(%s).%s", types.ExprString(fd.Recv.List[0].Type), fd.Name.Name)
		}
		bodies[fd.Body] = true
		ast.Inspect(fd, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				bodies[n.Body] = true
			case *ast.BlockStmt:
				m.list(n.List, bodies[n])
			case *ast.CaseClause:
				m.list(n.Body, false)
			case *ast.CommClause:
				m.list(n.Body, false)
			case *ast.ExprStmt:
				if c, ok := n.X.(*ast.CallExpr); ok {
					inStmt[c] = n
				}
			case *ast.DeferStmt:
				inStmt[n.Call] = n
			case *ast.GoStmt:
				inStmt[n.Call] = n
			case *ast.CallExpr:
				m.atomic(n, inStmt[n])
			}
			return true
		})
	}
}

func (m *mutator) add(op string, at ast.Node, what string, edits ...edit) {
	p := m.fset.Position(at.Pos())
	m.all = append(m.all, &mutant{op: op, pkg: m.pkg, file: m.rel, line: p.Line, col: p.Column, fn: m.fn, what: what, edits: edits})
}

func (m *mutator) offset(p token.Pos) int { return m.fset.PositionFor(p, false).Offset }

func (m *mutator) source(n ast.Node) string {
	return string(m.text[m.offset(n.Pos()):m.offset(n.End())])
}

// drop deletes a node. Line breaks inside it stay.
func (m *mutator) drop(n ast.Node) edit {
	return edit{m.offset(n.Pos()), m.offset(n.End()), strings.Repeat("\n", bytes.Count([]byte(m.source(n)), []byte("\n")))}
}

func insert(at int, text string) edit { return edit{at, at, text} }

// list looks at the statements of a list one by one.
func (m *mutator) list(list []ast.Stmt, body bool) {
	for i, s := range list {
		x, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		if u, ok := x.X.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
			m.add("receive", s, m.source(u), m.drop(s))
			continue
		}
		on, method, _ := m.method(x.X)
		switch method {
		case "(*sync.WaitGroup).Wait":
			m.add("wait", s, m.source(on), m.drop(s))
		case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).RLock", "(sync.Locker).Lock":
			if c := m.section(list, i); c != nil {
				m.sectionMutants(c, body)
			}
		}
	}
}

// method takes a call of a method apart: the operand, the full name of the method, and its name.
func (m *mutator) method(e ast.Expr) (on ast.Expr, full string, name *ast.Ident) {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return nil, "", nil
	}
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, "", nil
	}
	f, ok := m.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return nil, "", nil
	}
	return sel.X, f.FullName(), sel.Sel
}

// section is a critical section: the statements between a lock statement and its unlock.
type section struct {
	lock     ast.Stmt
	on       string           // the lock, as in the source
	kind     string           // full name of the method that locks
	deferred *ast.DeferStmt   // the unlock, right after the lock
	unlock   ast.Stmt         // or the unlock, in the same list
	early    []ast.Stmt       // unlocks in nested statements
	body     []ast.Stmt       // without the unlock
	names    []*ast.Ident     // Lock and Unlock in all of these
	holds    map[ast.Stmt]int // early unlocks by statement of the body
}

// section finds the critical section that begins at list[i]. It returns nil if the section cannot
// be delimited by syntax: the lock is taken again inside it, or is released in a function
// literal.
func (m *mutator) section(list []ast.Stmt, i int) *section {
	on, kind, name := m.method(list[i].(*ast.ExprStmt).X)
	c := &section{lock: list[i], on: m.source(on), kind: kind, names: []*ast.Ident{name}, holds: map[ast.Stmt]int{}}
	release := strings.Replace(name.Name, "Lock", "Unlock", 1)
	is := func(e ast.Expr, names ...string) (*ast.Ident, bool) {
		on, full, name := m.method(e)
		return name, full != "" && types.ExprString(on) == c.on && slices.Contains(names, name.Name)
	}
	for j := i + 1; j < len(list); j++ {
		switch s := list[j].(type) {
		case *ast.DeferStmt:
			if name, ok := is(s.Call, release); ok && j == i+1 {
				c.deferred, c.names = s, append(c.names, name)
				continue
			}
		case *ast.ExprStmt:
			if name, ok := is(s.X, release); ok && c.deferred == nil {
				c.unlock, c.names = s, append(c.names, name)
				return c
			}
		}
		good := true
		plain := map[ast.Expr]ast.Stmt{}
		literals := 0
		var inspect func(n ast.Node) bool
		inspect = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				literals++
				ast.Inspect(n.Body, inspect)
				literals--
				return false
			case *ast.ExprStmt:
				plain[n.X] = n
			case *ast.CallExpr:
				if name, ok := is(n, "Lock", "RLock", "Unlock", "RUnlock", "TryLock", "TryRLock"); ok {
					s := plain[n]
					if s == nil || literals > 0 || name.Name != release || c.deferred != nil {
						good = false
						return false
					}
					c.early, c.names = append(c.early, s), append(c.names, name)
					c.holds[list[j]]++
				}
			}
			return true
		}
		ast.Inspect(list[j], inspect)
		if !good {
			return nil
		}
		c.body = append(c.body, list[j])
	}
	if c.deferred == nil && len(c.early) == 0 {
		return nil
	}
	return c
}

// sectionMutants adds the mutants of a critical section.
func (m *mutator) sectionMutants(c *section, body bool) {
	var all []edit // no lock and no unlock
	for _, s := range append([]ast.Stmt{c.lock}, c.early...) {
		all = append(all, m.drop(s))
	}
	if c.deferred != nil {
		all = append(all, m.drop(c.deferred))
	}
	if c.unlock != nil {
		all = append(all, m.drop(c.unlock))
	}
	read := c.kind == "(*sync.RWMutex).RLock"
	op := "unlock"
	if read {
		op = "runlock"
	}
	m.add(op, c.lock, c.on, all...)
	if c.kind == "(*sync.RWMutex).Lock" {
		var shared []edit
		for _, n := range c.names {
			shared = append(shared, insert(m.offset(n.Pos()), "R"))
		}
		for i, n := range c.names {
			if n.Name == "Unlock" {
				shared[i] = edit{m.offset(n.Pos()), m.offset(n.End()), "RUnlock"}
			}
		}
		m.add("rlock", c.lock, c.on, shared...)
	}
	if len(c.body) < 2 || c.unlock == nil && c.deferred == nil {
		return
	}
	first, last := c.body[0], c.body[len(c.body)-1]
	locks, unlocks := c.on+".Lock()", c.on+".Unlock()"
	if read {
		locks, unlocks = c.on+".RLock()", c.on+".RUnlock()"
	}
	switch {
	case c.unlock != nil && c.holds[last] == 0:
		m.add("early", c.unlock, c.on, m.drop(c.unlock), insert(m.offset(last.Pos()), unlocks+"; "))
	case c.deferred != nil && body && !slices.ContainsFunc(c.body[:len(c.body)-1], leaves):
		m.add("early", c.deferred, c.on, m.drop(c.deferred), insert(m.offset(last.Pos()), unlocks+"; "))
	}
	switch {
	case c.unlock != nil && c.holds[first] == 0 && !leaves(first):
		m.add("late", c.lock, c.on, m.drop(c.lock), insert(m.offset(first.End()), "; "+locks))
	case c.deferred != nil && !leaves(first):
		m.add("late", c.lock, c.on, m.drop(c.lock), m.drop(c.deferred), insert(m.offset(first.End()), "; "+locks+"; defer "+unlocks))
	}
}

// leaves reports whether a statement may end its statement list: by return, goto, break or
// continue.
func leaves(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		}
		return true
	})
	return found
}

// atomic adds the mutant of an atomic operation. stmt is the statement that the call is, if it is
// one.
func (m *mutator) atomic(c *ast.CallExpr, stmt ast.Stmt) {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	f, ok := m.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "sync/atomic" {
		return
	}
	var word string // the word as an expression
	var more []edit
	args := c.Args
	name := f.Name()
	if f.Signature().Recv() == nil {
		word = "*(" + m.source(args[0]) + ")"
		if u, ok := ast.Unparen(args[0]).(*ast.UnaryExpr); ok && u.Op == token.AND {
			word = m.source(u.X)
		}
		args = args[1:]
		used := importName(m.file, "sync/atomic") // the import may have no other use
		if used == "" {
			return
		}
		more = []edit{insert(len(m.text), "\nvar _ = "+used+".LoadInt32\n")}
	} else {
		t := atomicTypes[types.TypeString(deref(m.info.TypeOf(sel.X)), nil)]
		if t == "" || t == "bool" && name != "Load" {
			return
		}
		at := "&" + m.source(sel.X)
		if _, ok := m.info.TypeOf(sel.X).Underlying().(*types.Pointer); ok {
			at = m.source(sel.X)
		}
		word = "*(*" + t + ")(plainunsafe.Pointer(" + at + "))"
		if t == "bool" { // its word is an uint32
			word = "*(*uint32)(plainunsafe.Pointer(" + at + ")) != 0"
		}
		more = []edit{insert(m.offset(m.file.Name.End()), `; import plainunsafe "unsafe"`)}
	}
	_, isStmt := stmt.(*ast.ExprStmt)
	text := ""
	switch {
	case strings.HasPrefix(name, "Load") && stmt == nil:
		text = "(" + word + ")"
	case strings.HasPrefix(name, "Store") && isStmt:
		text = word + " = " + m.source(args[0])
	case strings.HasPrefix(name, "Add") && isStmt:
		text = word + " += " + m.source(args[0])
	case strings.HasPrefix(name, "Add") && stmt == nil:
		text = fmt.Sprintf("func() %s { %s += %s; return %s }()", m.info.TypeOf(c), word, m.source(args[0]), word)
	default:
		return
	}
	m.add("plain", c, m.source(c.Fun), append(more, edit{m.offset(c.Pos()), m.offset(c.End()), text})...)
}

// atomicTypes are the types whose only field with a size is one word.
var atomicTypes = map[string]string{
	"sync/atomic.Int32": "int32", "sync/atomic.Int64": "int64", "sync/atomic.Uint32": "uint32", "sync/atomic.Uint64": "uint64", "sync/atomic.Bool": "bool",
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// importName is the name by which a file imports a package, "" if it does not, or without a name.
func importName(f *ast.File, path string) string {
	for _, i := range f.Imports {
		if i.Path.Value != `"`+path+`"` {
			continue
		}
		if i.Name == nil {
			return filepath.Base(path)
		}
		if n := i.Name.Name; n != "_" && n != "." {
			return n
		}
	}
	return ""
}
