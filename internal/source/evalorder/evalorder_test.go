package evalorder

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"
)

// source has a statement for each way in which syntax is changed, and at the marks those that stay
// (EO7).
const source = `package p

type T struct{ n, m int; l []int }

var x int
var table map[int][]int

func f(...int) int { x++; return x }
type dotted interface{ m(...int) }
type outer struct{ dotted }

func promoted() *outer { return nil }
func pair() (int, int) { x++; return x, x }
func (t *T) set(n int) int { t.n = n; return n }

func ordered(t *T, c chan int, any interface{}) (int, error) {
	a, b := t.n, t.set(1)
	_ = b
	t.l[a], b = f(t.n, t.set(2)), t.n
	t.l[x], t.n = pair()
	t.l[x] += f(x, <-c)
	table[t.n] = append(table[t.n], f())
	m := map[int]int{x: f(), t.n: f(x, f())}
	var v, w = 1, 2
	var (
		u = v + w
		z = x + f()
	)
	if n := x + f(); n > 0 && x+f() > 1 {
		return x, nil
	} else if x > f() || z == 1 {
		goto out
	}
	for i := x - f(); i+x < f(); i, x = x, f() {
		func() { x, b = x, f() }()
	}
loop:
	for range t.l[x:f()] {
		switch y := x + f(); {
		case y == x, x < f():
			continue loop
		case x == 1:
			fallthrough
		default:
			break loop
		}
	}
	select {
	case c <- x + f():
	case t.l[x+f()] = <-c:
	}
	switch any := any.(type) {
	case int:
		b = any
	}
	defer t.set(x + f())
	go f(x, f())
out:
	return x + m[f()] + u + func() int { return x + f() }(), nil
}

func kept(t *T) {
	goto again
again:
	switch x + f() /* kept */ {
	}
	for t.l[x+f()] /* kept */ = range t.l {
	}
	var any interface{} = true
	switch /* kept */ {
	case x == f(), any:
	}
	_ = []*map[int]int{{x: f()}} /* kept */
	promoted().m(x, f()) /* kept */
	promoted().dotted.m(x, f())
}

var global = func() int { return x + f() }()

var inOrder, alone, other = f() + f(), x, f(f(), 1)

var m, n = pair()

var (
	left  = x + f() /* kept init */
	one   = 1
	right = map[int]int{x: f()} /* kept init */
	k, l  = table[x+f()] /* kept init */
)
`

// TestBuild checks that the SSA is sound, that the syntax is as it was, and which statements are
// counted.
func TestBuild(t *testing.T) {
	fset, file, info, pkg := check(t, source)
	sizes := func() [3]int { return [3]int{len(info.Types), len(info.Defs), len(info.Uses)} }
	text, facts := print(t, fset, file), sizes()
	prog := ssa.NewProgram(fset, ssa.SanityCheckFunctions)
	stmts, inits := Build(prog.CreatePackage(pkg, []*ast.File{file}, info, false), []*ast.File{file}, info, nil)
	if diff := cmp.Diff(text, print(t, fset, file)); diff != "" {
		t.Errorf("the syntax is not as it was (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(facts, sizes()); diff != "" {
		t.Errorf("the type information is not as it was (-before +after):\n%s", diff)
	}
	for mark, gaps := range map[string][]token.Pos{"/* kept */": stmts, "/* kept init */": inits} {
		var lines, want []int
		for _, g := range gaps {
			lines = append(lines, fset.Position(g).Line)
		}
		for i, line := range bytes.Split([]byte(source), []byte("\n")) {
			if bytes.Contains(line, []byte(mark)) {
				want = append(want, i+1)
			}
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("lines that are counted as %s (-want +got):\n%s", mark, diff)
		}
	}
}

// embedding has methods of embedded fields; at the marks all of a variable is read (EO8).
const embedding = `package p

type locker interface{ Lock() }
type ptr struct{}

func (*ptr) Lock() {}

type val struct{ a int }

func (val) Get() int { return 0 }

type gen[T any] struct{ v T }

func (gen[T]) Get() (v T) { return }

type a struct {
	*ptr
	n int
}
type b struct {
	n int
	locker
}
type c struct {
	val
	n int
}
type d struct {
	n int
	a
	in struct{ c }
}
type e struct {
	error
	n int
}
type f[T any] struct {
	n int
	gen[T]
}

var g d

func calls(h *d, l []b, m map[int]b, arr *[3]c, k e) {
	var x d
	func() { x.n++ }()
	x.Lock()
	defer x.Lock()
	go g.a.Lock()
	_ = g.Lock
	h.Lock()
	x.in.Get()
	(x.in).val.Get()
	g.in.c.Get()
	l[0].Lock()
	arr[1].Get()
	func() { k.n++ }()
	_ = k.Error()
	m[1].Lock()
	var o struct {
		n int
		*a
		in struct{ *d }
	}
	func() { o.n++ }()
	_ = o.a.n + o.in.n
	o.in.in.n++
	p, q := &o.in.in.c, &o.in.a.n
	*q = p.Get()
	_ = o.Lock
}

func generic[T any](y f[T], z *f[T]) T {
	func() { y.n++ }()
	z.Get()
	return y.Get()
}

func (x c) Own() int { return 0 }

func whole(x *d) {
	x.in.Own() // whole
	y := x.a // whole
	y.Lock()
}
`

// TestPromoted checks which loads the SSA has of structs that embed something.
func TestPromoted(t *testing.T) {
	fset, file, info, pkg := check(t, embedding)
	text := print(t, fset, file)
	p := ssa.NewProgram(fset, ssa.SanityCheckFunctions).CreatePackage(pkg, []*ast.File{file}, info, false)
	Build(p, []*ast.File{file}, info, nil)
	if diff := cmp.Diff(text, print(t, fset, file)); diff != "" {
		t.Errorf("the syntax is not as it was (-before +after):\n%s", diff)
	}
	got := map[int]bool{}
	for _, name := range []string{"calls", "generic", "whole"} {
		for _, f := range append(p.Func(name).AnonFuncs, p.Func(name)) {
			loads(f, func(u *ssa.UnOp) { got[fset.Position(u.X.Pos()).Line] = true })
		}
	}
	want := map[int]bool{}
	for i, line := range bytes.Split([]byte(embedding), []byte("\n")) {
		if bytes.Contains(line, []byte("// whole")) {
			want[i+1] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines that read all of a variable (-want +got):\n%s", diff)
	}
}

// loads calls found for each load of a struct with an embedded field.
func loads(f *ssa.Function, found func(*ssa.UnOp)) {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			u, ok := in.(*ssa.UnOp)
			if !ok || u.Op != token.MUL {
				continue
			}
			if s, ok := u.Type().Underlying().(*types.Struct); ok {
				for field := range s.Fields() {
					if field.Embedded() {
						found(u)
						break
					}
				}
			}
		}
	}
}

// check type-checks a package of one file.
func check(t *testing.T, source string) (*token.FileSet, *ast.File, *types.Info, *types.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{Importer: importer.Default(), GoVersion: "go1.26"}).Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file, info, pkg
}

func print(t *testing.T, fset *token.FileSet, f *ast.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
