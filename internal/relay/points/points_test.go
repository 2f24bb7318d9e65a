package points_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"presage/internal/relay/callgraph"
	"presage/internal/relay/place"
	"presage/internal/relay/points"
	"presage/internal/relay/summary"
	"presage/internal/relay/symbolic"
)

// prelude is in front of every program.
const prelude = `
type T struct{ n int; next *T; in inner }
type inner struct{ k int }
type box struct{ t *T }
type holder struct{ inner; p *inner }
type setter interface{ set() }
type list[E any] struct{ first *node[E] }
type node[E any] struct{ val E; next *node[E] }
var sink any
var global *T
func (t *T) set() { t.n = 1 }
func (i *inner) put() { i.k = 1 }
func make1() *T { return &T{} }
func make2() *T { t := make1(); t.next = nil; return t }
func kept() *T { t := &T{}; global = t; return t }
func identity(t *T) *T { return t }
func (l *list[E]) push(v E) { l.first = &node[E]{v, l.first} }
func (l *list[E]) pop() E { v := l.first.val; l.first = l.first.next; return v }
func made[E any]() *E { return new(E) }
func first[S ~[]E, E any](s S) *E { return &s[0] }
func grown[S ~[]E, E any](s S, e E) S { return append(s, e) }
func apply(f func(*T), t *T) { f(t) }
`

// programs are bodies of a function; the accesses in the lines marked a and b may be to one object if same says so.
var programs = []struct {
	name string
	same bool
	body string
}{
	{"two objects", false, `x, y := &T{}, &T{}
		x.n = 1 // a
		y.n = 1 // b`},
	{"copy of a pointer", true, `x := &T{}; y := x
		x.n = 1 // a
		y.n = 1 // b`},
	{"copy of a struct", false, `x := &T{}; y := new(T); *y = *x
		x.n = 1 // a
		y.n = 1 // b`},
	{"what a copied struct points to", true, `x := &box{&T{}}; y := new(box); *y = *x
		x.t.n = 1 // a
		y.t.n = 1 // b`},
	{"two ways", true, `x, y := &T{}, &T{}; if sink == nil { y = x }
		x.n = 1 // a
		y.n = 1 // b`},
	{"interface", true, `x := &T{}; var i any = x; y := i.(*T)
		x.n = 1 // a
		y.n = 1 // b`},
	{"another type in one interface", false, `x := &T{}; y := &T{}; b := &box{y}; var i any = x; if global == nil { i = b }
		i.(*T).n = 1 // a
		y.n = 1 // b`},
	{"channel", true, `x := &T{}; c := make(chan *T, 1); c <- x
		x.n = 1 // a
		y := <-c
		y.n = 1 // b`},
	{"two channels", false, `x, y := &T{}, &T{}; c, d := make(chan *T, 1), make(chan *T, 1); c <- x; d <- y
		x = <-c
		x.n = 1 // a
		y = <-d
		y.n = 1 // b`},
	{"select", true, `x := &T{}; c := make(chan *T, 1); c <- x
		x.n = 1 // a
		select { case y := <-c:
		y.n = 1 // b
		default: }`},
	{"map value", true, `x := &T{}; m := map[string]*T{}; m["a"] = x
		x.n = 1 // a
		m["b"].n = 1 // b`},
	{"map key", true, `x := &T{}; m := map[*T]bool{}; m[x] = true
		x.n = 1 // a
		for y := range m {
		y.n = 1 // b
		}`},
	{"two maps", false, `m, l := map[string]*T{"a": &T{}}, map[string]*T{"a": &T{}}
		m["a"].n = 1 // a
		l["a"].n = 1 // b`},
	{"slice of pointers", true, `x := &T{}; s := []*T{x}; s = append(s, nil)
		x.n = 1 // a
		s[0].n = 1 // b`},
	{"appended", true, `x := &T{}; s := append([]*T{}, x); r := append([]*T{nil}, s...)
		x.n = 1 // a
		r[1].n = 1 // b`},
	{"element of a slice of structs", true, `s := make([]T, 2); x := &s[0]
		x.n = 1 // a
		s[1].n = 1 // b`},
	{"elements of two slices", false, `s, r := make([]T, 2), make([]T, 2); x := &s[0]
		x.n = 1 // a
		r[1].n = 1 // b`},
	{"array", true, `x := &T{}; var r [2]*T; r[0] = x; q := r
		x.n = 1 // a
		q[0].n = 1 // b`},
	{"captured", true, `x := &T{}; f := func() {
		x.n = 1 // a
		}
		x.n = 1 // b
		f()`},
	{"given to a function value", true, `x := &T{}; apply(func(t *T) {
		t.n = 1 // a
		}, x)
		x.n = 1 // b`},
	{"method value", true, `x := &T{}; f := x.set; f(); y := func(t *T) *T { return t }(x)
		x.n = 1 // a
		y.n = 1 // b`},
	{"linked", true, `x := &T{}; x.next = &T{}; y := x.next; z := y
		y.n = 1 // a
		z.next = y; x = z.next
		x.n = 1 // b`},
	{"linked to itself", true, `x := &T{}; x.next = x
		x.n = 1 // a
		x.next.next.n = 1 // b`},
	{"generic container", true, `x := &T{}; l := &list[*T]{}; l.push(x); y := l.pop()
		x.n = 1 // a
		y.n = 1 // b`},
	{"generic container of another type", false, `x := &T{}; y := &T{}; l := &list[*T]{}; l.push(x); r := &list[*box]{}; r.push(&box{y})
		l.pop().n = 1 // a
		y.n = 1 // b`},
	{"made by a generic function", true, `x := made[T](); y := x
		x.n = 1 // a
		y.n = 1 // b`},
	{"element in a generic function", true, `s := make([]T, 2); x := first(s)
		x.n = 1 // a
		s[0].n = 1 // b`},
	{"element of another slice in a generic function", true, `s := make([]T, 2); r := make([]T, 2); x := first(s); first(r)
		x.n = 1 // a
		r[0].n = 1 // b`},
	{"appended in a generic function", true, `x := &T{}; s := grown([]*T{}, x)
		x.n = 1 // a
		s[0].n = 1 // b`},
	{"result of append in a generic function", true, `s := grown([]T{}, T{}); r := s
		s[0].n = 1 // a
		r[0].n = 1 // b`},
	{"two results of a maker", false, `x, y := make1(), make1()
		x.n = 1 // a
		y.n = 1 // b`},
	{"two results of a maker of a maker", false, `x, y := make2(), make2()
		x.n = 1 // a
		y.n = 1 // b`},
	{"a result that was kept", true, `x := kept()
		x.n = 1 // a
		global.n = 1 // b`},
	{"two results that were kept", false, `x, y := kept(), kept()
		x.n = 1 // a
		y.n = 1 // b`},
	{"the result of the argument", true, `x, y := identity(&T{}), identity(&T{})
		x.n = 1 // a
		y.n = 1 // b`},
	{"field of a struct", true, `x := &T{}; y := &x.in
		x.in.k = 1 // a
		y.k = 1 // b`},
	{"fields of two structs", false, `x, z := &T{}, &T{}; y := &x.in
		z.in.k = 1 // a
		y.k = 1 // b`},
	{"pointer to a pointer", true, `x := &T{}; var p *T; q := &p; *q = x
		x.n = 1 // a
		p.n = 1 // b`},
	{"pointer to a field", true, `x := &T{}; b := &box{}; q := &b.t; *q = x
		x.n = 1 // a
		b.t.n = 1 // b`},
	{"panic", true, `x := &T{}; defer func() { y := recover().(*T)
		y.n = 1 // a
		}()
		x.n = 1 // b
		panic(x)`},
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			l, a, b := analyse(t, "package main\n"+prelude+"func main() {\n"+p.body+"\n}\n")
			if apart := l.Apart(a, b); apart == p.same {
				t.Errorf("apart %v, same object %v:\n%s", apart, p.same, p.body)
			}
		})
	}
}

// TestMethods: objects meet in the methods that are called on them, directly, through interfaces, and promoted.
func TestMethods(t *testing.T) {
	for _, p := range []struct {
		name, body string
		same       bool
	}{
		{"method", `func (b *T) change() {
			b.n = 1 // a
		}
		func main() { x, y := &T{}, &T{}; x.change()
			y.n = 2
			x.n = 1 // b
		}`, true},
		{"method of another object", `func (b *T) change() {
			b.n = 1 // a
		}
		func main() { x, y := &T{}, &T{}; x.change()
			y.n = 1 // b
		}`, false},
		{"through an interface", `func (b *T) change() {
			b.n = 1 // a
		}
		func main() { x := &T{}; var i interface{ change() } = x; i.change()
			x.n = 1 // b
		}`, true},
		{"promoted", `func (b *inner) change() {
			b.k = 1 // a
		}
		func main() { x := &holder{}; var i interface{ change() } = x; i.change()
			x.k = 1 // b
		}`, true},
		{"promoted from a pointer", `type outer struct{ *inner }
		func (b *inner) change() {
			b.k = 1 // a
		}
		func main() { x := &inner{}; var i interface{ change() } = outer{x}; i.change()
			x.k = 1 // b
		}`, true},
	} {
		t.Run(p.name, func(t *testing.T) {
			l, a, b := analyse(t, "package main\n"+prelude+p.body)
			if apart := l.Apart(a, b); apart == p.same {
				t.Errorf("apart %v, same object %v:\n%s", apart, p.same, p.body)
			}
		})
	}
}

// TestOpenWorld: what exported functions are given may be what they have returned, but not what never gets outside.
func TestOpenWorld(t *testing.T) {
	for _, p := range []struct {
		name, body string
		same       bool
	}{
		{"given and returned", `func New() *T { t := &T{}
			t.n = 1 // a
			return t }
		func Set(t *T) {
			t.n = 1 // b
		}`, true},
		{"given twice", `func Set(t *T) {
			t.n = 1 // a
		}
		func Other(t *T) {
			t.n = 1 // b
		}`, true},
		{"never outside", `func Set(t *T) { x := &T{}
			t.n = 1 // a
			x.n = 1 // b
		}`, false},
		{"in an exported variable", `var Shared = &box{}
		type Open struct{ Field *T }
		func Put(o *Open) { x := &T{}; o.Field = x
			x.n = 1 // a
		}
		func Set(t *T) {
			t.n = 1 // b
		}`, true},
		{"in a field that is not exported", `type Open struct{ field *T }
		func Put(o *Open) { x := &T{}; o.field = x
			x.n = 1 // a
		}
		func Set(t *T) {
			t.n = 1 // b
		}`, false},
		{"given to an interface", `type Sink interface{ Take(*T) }
		func Put(s Sink) { x := &T{}; s.Take(x)
			x.n = 1 // a
		}
		func Set(t *T) {
			t.n = 1 // b
		}`, true},
	} {
		t.Run(p.name, func(t *testing.T) {
			l, a, b := analyse(t, "package lib\n"+prelude+p.body)
			if apart := l.Apart(a, b); apart == p.same {
				t.Errorf("apart %v, same object %v:\n%s", apart, p.same, p.body)
			}
		})
	}
}

// analyse returns the solved program and the places of the accesses in the lines that end with a and b.
func analyse(t *testing.T, src string) (l *points.Linker, a, b summary.Pos) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage(file.Name.Name, file.Name.Name), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	fns := callgraph.Functions(pkg)
	sums := map[string]*summary.Function{}
	lines := strings.Split(src, "\n")
	for _, fn := range fns {
		s := &summary.Function{Key: symbolic.Key(fn), Files: []string{"p.go"}}
		sums[s.Key] = s
		for _, in := range instructions(fn) {
			p := fset.Position(place.Of(in))
			if !p.IsValid() {
				continue
			}
			if _, store := in.(*ssa.Store); !store {
				continue
			}
			at := summary.Pos{Func: s.Key, Place: int32(len(s.Places))}
			s.Places = append(s.Places, summary.Line{Line: int32(p.Line), Column: int32(p.Column)})
			s.Accesses = append(s.Accesses, &summary.Access{Pos: at})
			switch text := lines[p.Line-1]; {
			case strings.HasSuffix(text, "// a"):
				a = at
			case strings.HasSuffix(text, "// b"):
				b = at
			}
		}
	}
	if a.Func == "" || b.Func == "" {
		t.Fatal("no accesses are marked")
	}
	l = points.NewLinker(file.Name.Name != "main", func(fn string) bool { return sums[fn] != nil })
	g := points.Build(fset, pkg, fns, sums, true)
	if diff := cmp.Diff(g, points.Build(fset, pkg, fns, sums, true)); diff != "" {
		t.Errorf("a second graph of one package is another:\n%s", diff)
	}
	l.Add(g, func(string) bool { return true })
	l.Solve()
	return l, a, b
}

func instructions(fn *ssa.Function) []ssa.Instruction {
	var out []ssa.Instruction
	for _, b := range fn.Blocks {
		out = append(out, b.Instrs...)
	}
	return slices.Clip(out)
}
