package footprint

import (
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// mayWrite are functions that table.txt takes to write to nothing, and that the test below takes to: each with the reason why it does not matter.
var mayWrite = map[string]string{
	"(*strings.Replacer).Replace":     "once, under a sync.Once, what nobody else can name",
	"(*strings.Replacer).WriteString": "likewise",
}

// TestTableReads holds table.txt against the code: what a function is said to read, or to leave alone, it does not store to. Followed is what a parameter leads to, through calls of which the callee is known, and
// closures; not what is put into another object first, nor code without a body. So it finds what appends to an argument, decodes into it, or changes its receiver.
func TestTableReads(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: loads the standard library")
	}
	cfg := &packages.Config{Mode: packages.LoadAllSyntax}
	pkgs, err := packages.Load(cfg, "strings", "bytes", "strconv", "unicode/...", "slices", "maps", "cmp", "path/...", "html", "net/url", "net/netip", "encoding/hex", "encoding/base64", "encoding/base32",
		"hash/crc32", "hash/fnv", "regexp/...", "mime", "iter", "unique", "weak", "math", "math/bits", "math/cmplx", "math/rand", "math/rand/v2", "errors", "fmt", "time", "os", "sort", "encoding/json", "runtime")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal(err)
	}
	prog, ssaPkgs := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	prog.Build()
	w := &writers{of: map[*ssa.Function][]bool{}, back: map[*ssa.Function][]bool{}}
	var list []*ssa.Function
	for fn := range ssautil.AllFunctions(prog) {
		list = append(list, fn)
	}
	slices.SortFunc(list, func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
	for w.again = true; w.again; {
		w.again = false
		for _, fn := range list {
			w.function(fn)
		}
	}
	n, reasons := 0, map[string]bool{}
	for _, fn := range list {
		obj, ok := fn.Object().(*types.Func)
		if !ok || !obj.Exported() || !exported(obj.Signature().Recv()) || !slices.Contains(ssaPkgs, fn.Pkg) && fn.Origin() == nil {
			continue
		}
		name := obj.FullName()
		e, _ := lookup(name, obj.Pkg().Path())
		if e.effect == Write {
			continue
		}
		n++
		for i, p := range fn.Params {
			if i < len(w.of[fn]) && w.of[fn][i] && !immutable[typeName(p.Type())] {
				if reasons[name] = true; mayWrite[name] == "" {
					t.Errorf("%s is said to do no more than read, and may write through %s %s", name, p.Name(), p.Type())
				}
			}
		}
	}
	for name := range mayWrite {
		if !reasons[name] {
			t.Errorf("%s needs no reason", name)
		}
	}
	if n < 750 {
		t.Errorf("only %d functions", n)
	}
}

// exported reports whether a receiver is of a type that others can name.
func exported(recv *types.Var) bool {
	if recv == nil {
		return true
	}
	n, ok := types.Unalias(deref(types.Unalias(recv.Type()))).(*types.Named)
	return ok && n.Obj().Exported()
}

// writers says of functions through which of their parameters, and captured variables behind them, they may write, and which they may return a part of.
type writers struct {
	of, back map[*ssa.Function][]bool
	again    bool
}

func (w *writers) set(m map[*ssa.Function][]bool, fn *ssa.Function, i int) {
	if m[fn] == nil {
		m[fn] = make([]bool, len(fn.Params)+len(fn.FreeVars))
	}
	if !m[fn][i] {
		m[fn][i], w.again = true, true
	}
}

func has(m map[*ssa.Function][]bool, fn *ssa.Function, i int) bool { return m[fn] != nil && m[fn][i] }

func (w *writers) function(fn *ssa.Function) {
	i := 0
	for _, p := range fn.Params {
		if writable(p.Type()) {
			w.follow(fn, p, i)
		}
		i++
	}
	for _, v := range fn.FreeVars {
		w.follow(fn, v, i)
		i++
	}
}

// writable reports whether a value of a type may lead to memory that can be written.
func writable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return writable(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if writable(u.Field(i).Type()) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for i := range u.Len() {
			if writable(u.At(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// follow goes through what becomes of parameter i.
func (w *writers) follow(fn *ssa.Function, v ssa.Value, i int) {
	seen, todo := map[ssa.Value]bool{v: true}, []ssa.Value{v}
	add := func(x ssa.Value) {
		if writable(x.Type()) && !seen[x] {
			seen[x] = true
			todo = append(todo, x)
		}
	}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range *x.Referrers() {
			switch r := r.(type) {
			case *ssa.Store:
				if cell, ok := r.Addr.(*ssa.Alloc); ok && r.Val == x { // a variable of its own
					reloads(cell, add)
				} else if r.Addr == x && !isCell(x) {
					w.set(w.of, fn, i)
				}
			case *ssa.MapUpdate:
				if r.Map == x {
					w.set(w.of, fn, i)
				}
			case *ssa.Return:
				w.set(w.back, fn, i)
			case *ssa.MakeClosure:
				for k, b := range r.Bindings {
					if b == x && has(w.of, r.Fn.(*ssa.Function), len(r.Fn.(*ssa.Function).Params)+k) {
						w.set(w.of, fn, i)
					}
				}
			case ssa.CallInstruction:
				w.call(fn, x, i, r, add)
			case *ssa.Slice:
				if r.X == x && (r.Max == nil || r.Max != r.High) {
					add(r)
				}
			case *ssa.IndexAddr:
				if r.X == x {
					add(r)
				}
			case *ssa.FieldAddr, *ssa.Phi, *ssa.UnOp, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.Extract, *ssa.Field, *ssa.Index,
				*ssa.Lookup, *ssa.SliceToArrayPointer, *ssa.Range, *ssa.Next:
				add(r.(ssa.Value))
			case *ssa.Convert:
				if _, ok := x.Type().Underlying().(*types.Slice); !ok {
					add(r)
				}
			}
		}
	}
}

// isCell reports whether an address is that of a variable of the function, or of the one around it.
func isCell(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.FreeVar, *ssa.Alloc:
		return true
	}
	return false
}

// reloads follows what is loaded from a variable, here and in closures.
func reloads(cell ssa.Value, add func(ssa.Value)) {
	for _, r := range *cell.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			add(r)
		case *ssa.MakeClosure:
			add(cell)
		}
	}
}

func (w *writers) call(fn *ssa.Function, x ssa.Value, i int, r ssa.CallInstruction, add func(ssa.Value)) {
	com := r.Common()
	if b, ok := com.Value.(*ssa.Builtin); ok {
		switch first := com.Args[0] == x; {
		case b.Name() == "append" && first:
			w.set(w.of, fn, i)
			add(r.(ssa.Value))
		case (b.Name() == "copy" || b.Name() == "clear" || b.Name() == "delete") && first:
			w.set(w.of, fn, i)
		}
		return
	}
	callee := com.StaticCallee()
	if callee == nil || callee.Pkg != nil && synchronises(callee.Pkg.Pkg.Path()) {
		return
	}
	for k, a := range com.Args {
		if a != x {
			continue
		}
		if has(w.of, callee, k) {
			w.set(w.of, fn, i)
		}
		if v, ok := r.(ssa.Value); ok && has(w.back, callee, k) {
			add(v)
		}
	}
}

func synchronises(path string) bool {
	return path == "sync" || path == "sync/atomic" || strings.HasPrefix(path, "internal/")
}

// What packages of the table import, mayRead says.
func TestMayRead(t *testing.T) {
	pkgs := map[string]bool{"testing": true}
	for name := range table().entries {
		name = strings.TrimLeft(name, "(*")
		slash := strings.LastIndex(name, "/") + 1
		pkg, _, _ := strings.Cut(name[slash:], ".")
		pkgs[name[:slash]+pkg] = true
	}
	delete(pkgs, "error)")
	for name := range withoutTime {
		pkgs[name] = true
	}
	for pkg := range pkgs {
		out, err := exec.Command("go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatalf("%s: %v", pkg, err)
		}
		deps := strings.Fields(string(out))
		for _, of := range []string{"flag", "time", "os"} {
			if slices.Contains(deps, of) && !mayRead(pkg, of) {
				t.Errorf("%s imports %s", pkg, of)
			}
		}
	}
}
