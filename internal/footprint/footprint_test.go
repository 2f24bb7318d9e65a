package footprint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// cases.go and functions.go, each a program, hold one call per function; its comment is the footprint wanted.
func TestOfCall(t *testing.T) {
	for _, file := range []string{"cases.go", "functions.go"} {
		t.Run(file, func(t *testing.T) { testOfCall(t, file) })
	}
}

func testOfCall(t *testing.T, file string) {
	cfg := &packages.Config{Mode: packages.LoadSyntax, Dir: "testdata"}
	pkgs, err := packages.Load(cfg, "./"+file)
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatalf("loading testdata/%s: %v", file, err)
	}
	prog, ssaPkgs := ssautil.Packages(pkgs, 0)
	prog.Build()
	p := NewProgram([]string{"command-line-arguments"}, nil)
	p.Instances(pkgs[0].TypesInfo)
	for fn := range ssautil.AllFunctions(prog) {
		if fn.Pkg == ssaPkgs[0] && fn.Origin() == nil {
			p.Add(fn)
		}
	}
	want := wanted(t, file)
	for name, w := range want {
		fn := ssaPkgs[0].Func(name)
		var got []string
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(ssa.CallInstruction); ok {
					if _, builtin := c.Common().Value.(*ssa.Builtin); builtin {
						continue
					}
					s := p.ofCall(c.Common())
					got = append(got, readable(&s))
				}
			}
		}
		if g := strings.Join(got, " | "); g != w {
			t.Errorf("%s:\n got %s\nwant %s", name, g, w)
		}
	}
}

func traced(path string) bool { return path == "command-line-arguments" }

func readable(s *Set) string {
	for _, list := range [][]string{s.Types, s.Loads} {
		for i, t := range list {
			list[i] = strings.TrimPrefix(t, mark)
		}
		slices.Sort(list)
	}
	return strings.NewReplacer("\t", " ", "\v", ",", "command-line-arguments.", "").Replace(s.String())
}

func wanted(t *testing.T, file string) map[string]string {
	f, err := parser.ParseFile(token.NewFileSet(), "testdata/"+file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Doc != nil {
			want[fd.Name.Name] = strings.TrimSpace(strings.TrimPrefix(fd.Doc.Text(), "want: "))
		}
	}
	if len(want) == 0 {
		t.Fatal("no cases")
	}
	return want
}

func TestMeets(t *testing.T) {
	read := func(types ...string) *Set { return &Set{Effect: Read, Types: types} }
	write := func(types ...string) *Set { return &Set{Effect: Write, Types: types} }
	none, any := &Set{}, &Anything
	for _, c := range []struct {
		a, b *Set
		want bool
	}{
		{none, any, false}, {any, any, true}, {read("int"), read("int"), false}, {read("int"), write("int"), true},
		{write("a", "c"), write("b", "c"), true}, {write("a", "c"), write("b", "d"), false}, {any, read("int"), true},
		{&Set{State: "net"}, &Set{State: "net"}, true}, {&Set{State: "net"}, &Set{State: "os"}, false},
		{&Set{State: "net"}, any, true}, {any, &Set{Effect: Read}, false},
		{&Set{Effect: Write, Scope: Shared}, &Set{Effect: Read, Hidden: true}, false}, {any, &Set{Effect: Read, Hidden: true}, true},
		{&Set{Effect: Write, Scope: Shared}, read("!a"), true}, {&Set{Effect: Write, Scope: Foreign}, read("!a"), false},
		{&Set{Loads: []string{"!a"}}, read("!a"), false}, {&Set{Loads: []string{"!a"}}, write("!a"), true}, {&Set{Loads: []string{"!a"}}, write("!b"), false},
		{&Set{Effect: Read, Types: []string{"!a"}, Loads: []string{"!b"}}, write("!b"), true}, {&Set{Loads: []string{"!a"}}, &Set{Loads: []string{"!a"}}, false},
		{&Set{Loads: []string{"!a"}}, &Set{Effect: Write, Scope: Shared}, true}, {&Set{Loads: []string{"!a"}}, &Set{Effect: Write, Hidden: true}, false},
		{&Set{Effect: Write, Scope: Foreign}, read("!a", "b"), true}, {&Set{Effect: Write, Scope: Foreign}, &Set{Effect: Read, Scope: Shared}, true},
	} {
		if got := Meets(c.a, c.b); got != c.want {
			t.Errorf("Meets(%v, %v) = %v", c.a, c.b, got)
		}
		if got := Meets(c.b, c.a); got != c.want {
			t.Errorf("Meets(%v, %v) = %v", c.b, c.a, got)
		}
		if back := Parse(c.a.String()); back.String() != c.a.String() {
			t.Errorf("%q reads back as %q", c.a, &back)
		}
	}
	if s := Parse("nonsense"); s.Scope != Everything || s.State != AnyState {
		t.Error("an unreadable footprint is not Anything")
	}
}

func TestTypeNameOfBasic(t *testing.T) {
	if n := typeName(types.Typ[types.Byte]); n != "uint8" {
		t.Error(n)
	}
}

// A part of a struct is met through the struct, through a pointer to the part, and by an access to the whole.
func TestParts(t *testing.T) {
	s := types.NewStruct([]*types.Var{types.NewField(0, nil, "n", types.Typ[types.Int], false)}, nil)
	reach := func(t types.Type) *Set {
		r := newReacher(traced)
		r.memory(t)
		return &Set{Effect: Write, Types: r.names()}
	}
	whole := map[string]bool{}
	inside(s, whole)
	if !whole["in int"] || whole["int"] {
		t.Errorf("inside a struct: %v", whole)
	}
	field := &Set{Effect: Write, Types: []string{"int", typeName(s)}}
	pointer := &Set{Effect: Write, Types: []string{"in int", "int"}}
	variable := &Set{Effect: Write, Types: []string{"int"}}
	for _, c := range []struct {
		call, access *Set
		want         bool
	}{
		{reach(s), field, true}, {reach(s), pointer, true}, {reach(s), variable, false},
		{reach(types.Typ[types.Int]), field, true}, {reach(types.Typ[types.Int]), pointer, true}, {reach(types.Typ[types.Int]), variable, true},
	} {
		if got := Meets(c.call, c.access); got != c.want {
			t.Errorf("%v meets %v: %v", c.call, c.access, got)
		}
	}
}

// What an access of a variable touches depends on who has its address, in whichever closure.
func TestHidden(t *testing.T) {
	cfg := &packages.Config{Mode: packages.LoadSyntax, Dir: "testdata"}
	pkgs, err := packages.Load(cfg, "./hidden.go")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal("loading testdata/hidden.go:", err)
	}
	prog, _ := ssautil.Packages(pkgs, 0)
	prog.Build()
	p := NewProgram([]string{"command-line-arguments"}, nil)
	for fn := range ssautil.AllFunctions(prog) {
		p.Add(fn)
	}
	seen := 0
	for fn := range ssautil.AllFunctions(prog) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				st, ok := in.(*ssa.Store)
				if !ok {
					continue
				}
				c, ok := st.Val.(*ssa.Const)
				if !ok || c.Value == nil || c.Type().String() != "int" {
					continue
				}
				n := c.Int64() // 1xx: hidden, 2xx: not
				if n < 100 {
					continue
				}
				seen++
				s, _ := p.OfInstr(st)
				if s.Hidden != (n < 200) {
					t.Errorf("store of %d: hidden %v, footprint %s", n, s.Hidden, readable(&s))
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d stores seen", seen)
	}
}
