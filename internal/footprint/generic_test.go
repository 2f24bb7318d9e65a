package footprint

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// generic.go holds one write or call per generic function; its comment is the footprint wanted.
func TestGeneric(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: "testdata"}, "./generic.go")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal("loading testdata/generic.go:", err)
	}
	prog, ssaPkgs := ssautil.Packages(pkgs, 0)
	prog.Build()
	p := NewProgram([]string{"command-line-arguments"}, nil)
	p.Instances(pkgs[0].TypesInfo)
	var fns []*ssa.Function
	for _, obj := range pkgs[0].TypesInfo.Defs {
		if fn, ok := obj.(*types.Func); ok {
			fns = append(fns, prog.FuncValue(fn))
			p.Add(prog.FuncValue(fn))
		}
	}
	p.Add(ssaPkgs[0].Func("init"))
	want := wanted(t, "generic.go")
	for _, fn := range fns {
		w, ok := want[fn.Name()]
		if !ok {
			continue
		}
		var got []string
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if st, ok := in.(*ssa.Store); ok && isLocal(st.Addr) {
					continue
				}
				if s, ok := p.OfInstr(in); ok && (s.Effect == Write || s.Dynamic) {
					got = append(got, readable(&s))
				}
			}
		}
		if g := strings.Join(got, " | "); g != w {
			t.Errorf("%s:\n got %s\nwant %s", fn, g, w)
		}
	}
}

// isLocal reports whether an address is of what the SSA allocates, such as the array of the arguments of append.
func isLocal(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.IndexAddr:
		return isLocal(a.X)
	}
	return false
}

// Identical types have one name, others have two.
func TestSpelling(t *testing.T) {
	tuple := func(name string, t types.Type) *types.Tuple { return types.NewTuple(types.NewParam(0, nil, name, t)) }
	fn := func(a, b string) types.Type {
		return types.NewSignatureType(nil, nil, nil, tuple(a, types.Typ[types.Int]), tuple(b, types.Universe.Lookup("byte").Type()), false)
	}
	results := types.NewSignatureType(nil, nil, nil, types.NewTuple(), types.NewTuple(), false)
	empty, anything := types.NewInterfaceType(nil, nil), types.Universe.Lookup("any").Type()
	field := func(name string, embedded bool) types.Type {
		return types.NewStruct([]*types.Var{types.NewField(0, nil, name, types.Universe.Lookup("error").Type(), embedded)}, nil)
	}
	recv := types.NewChan(types.RecvOnly, types.Typ[types.Int])
	all := []types.Type{
		fn("a", ""), fn("b", "c"), results, empty, anything, types.NewSlice(types.Typ[types.Uint8]), types.NewSlice(types.Universe.Lookup("byte").Type()),
		field("error", false), field("error", true), field("err", false), types.NewChan(types.SendRecv, recv), types.NewChan(types.SendOnly, types.NewChan(types.SendRecv, types.Typ[types.Int])),
		types.NewMap(types.Typ[types.String], anything), types.NewMap(types.Typ[types.String], empty), types.NewArray(types.Typ[types.Int], 2), types.NewArray(types.Typ[types.Int], 3),
	}
	for _, a := range all {
		for _, b := range all {
			if (spelling(a) == spelling(b)) != types.Identical(a, b) {
				t.Errorf("identical(%v, %v) is %v; spelt %s and %s", a, b, types.Identical(a, b), spelling(a), spelling(b))
			}
		}
	}
}
