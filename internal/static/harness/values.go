package harness

import (
	"cmp"
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// maxDepth bounds objects that are made to make others.
const maxDepth = 3

// maxNesting bounds types inside of types.
const maxNesting = 8

// ways bounds the ways to make one object.
const ways = 3

// writer writes the statements of one test, with names for the packages that it mentions.
type writer struct {
	program *Program
	lines   []string
	made    int // objects so far
	fakes   []fake
	filled  bool // objects are filled before the two calls
	fills   bool // one was
}

// fake is a type of the test that implements an interface.
type fake struct {
	of   types.Type
	text string
}

func (w *writer) line(text string) { w.lines = append(w.lines, text) }

// typeName writes a type; false if code outside of its package cannot.
func (w *writer) typeName(t types.Type) (string, bool) {
	ok := true
	text := types.TypeString(t, func(p *types.Package) string { return placeholder(p.Path()) })
	seen := map[types.Type]bool{}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			ok = ok && (t.Obj().Pkg() == nil || t.Obj().Exported() && t.Obj().Parent() == t.Obj().Pkg().Scope())
			for a := range t.TypeArgs().Types() {
				visit(a)
			}
		case *types.Pointer:
			visit(t.Elem())
		case *types.Slice:
			visit(t.Elem())
		case *types.Array:
			visit(t.Elem())
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case *types.Chan:
			visit(t.Elem())
		case *types.Signature:
			for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
				for v := range tuple.Variables() {
					visit(v.Type())
				}
			}
		case *types.TypeParam:
			ok = false
		}
	}
	visit(t)
	return text, ok
}

// library are values of types of the standard library.
var library = map[string]string{
	"context.Context":         "{{context}}.Background()",
	"error":                   `{{errors}}.New("a")`,
	"io.Writer":               "{{io}}.Discard",
	"io.Reader":               `{{strings}}.NewReader("a")`,
	"time.Time":               "{{time}}.Now()",
	"time.Duration":           "{{time}}.Millisecond",
	"net/http.ResponseWriter": "{{net/http/httptest}}.NewRecorder()",
	"*net/http.Request":       `{{net/http/httptest}}.NewRequest("GET", "/", nil)`,
	"testing.TB":              "t",
	"*testing.T":              "t",
	"*net/http.Client":        "&{{net/http}}.Client{}",
	"net/http.Handler":        "{{net/http}}.NotFoundHandler()",
	"context.CancelFunc":      "func() {}",
	"*bytes.Buffer":           "&{{bytes}}.Buffer{}",
}

// value writes a value of a type, after the statements that make it.
func (w *writer) value(t types.Type, depth int) (string, bool) {
	if text := library[types.TypeString(t, nil)]; text != "" {
		return marked(text), true
	}
	if depth > maxNesting {
		return "", false
	}
	name, ok := w.typeName(t)
	if !ok {
		return "", false
	}
	n, isNamed := types.Unalias(t).(*types.Named)
	convert := func(text string) (string, bool) {
		if isNamed {
			return name + "(" + text + ")", true
		}
		return text, true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return convert(`"a"`)
		case u.Info()&types.IsBoolean != 0:
			return "true", true
		case u.Info()&types.IsNumeric != 0:
			return convert("1")
		}
	case *types.Slice:
		x, ok := w.value(u.Elem(), depth+1)
		if !ok {
			return "nil", true
		}
		return name + "{" + x + "}", true
	case *types.Map, *types.Array:
		return name + "{}", true
	case *types.Chan:
		if u.Dir() != types.SendRecv {
			return "make(chan " + must(w.typeName(u.Elem())) + ", 1)", true
		}
		return "make(" + name + ", 1)", true
	case *types.Signature:
		return w.function(u)
	case *types.Pointer:
		return w.object(t, depth, 0)
	case *types.Struct:
		if isNamed {
			return w.object(t, depth, 0)
		}
		return name + "{}", true
	case *types.Interface:
		if u.NumMethods() == 0 {
			return "1", !u.IsComparable() || u.Empty()
		}
		if isNamed && depth < maxDepth {
			return w.implementation(n, u, depth)
		}
	}
	return "", false
}

func must(text string, _ bool) string { return text }

// function writes a function that returns zero values. Its parameters have no names: one could be
// that of a package.
func (w *writer) function(sig *types.Signature) (string, bool) {
	bare := func(t *types.Tuple) *types.Tuple {
		var out []*types.Var
		for v := range t.Variables() {
			out = append(out, types.NewVar(0, nil, "", v.Type()))
		}
		return types.NewTuple(out...)
	}
	sig = types.NewSignatureType(nil, nil, nil, bare(sig.Params()), bare(sig.Results()), sig.Variadic())
	text, ok := w.typeName(sig)
	if !ok {
		return "", false
	}
	if sig.Results().Len() == 0 {
		return text + " {}", true
	}
	var zeros []string
	for v := range sig.Results().Variables() {
		zeros = append(zeros, "*new("+must(w.typeName(v.Type()))+")")
	}
	return text + " { return " + strings.Join(zeros, ", ") + " }", true
}

// implementation writes an object of a type of the interface's package that has its methods.
func (w *writer) implementation(n *types.Named, u *types.Interface, depth int) (string, bool) {
	if n.Obj().Pkg() == nil {
		return "", false
	}
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !tn.Exported() || types.IsInterface(tn.Type()) {
			continue
		}
		if c, ok := types.Unalias(tn.Type()).(*types.Named); !ok || c.TypeParams().Len() > 0 {
			continue
		}
		for _, t := range []types.Type{tn.Type(), types.NewPointer(tn.Type())} {
			if !types.Implements(t, u) {
				continue
			}
			if text, ok := w.object(t, depth, 0); ok {
				return text, true
			}
		}
	}
	return w.fake(n, u)
}

// fakeName is the name of a fake, until it has that of its test.
func fakeName(n int) string { return fmt.Sprintf("\x03fake%d\x03", n) }

// fake writes an object of a type whose methods return zero values.
func (w *writer) fake(n *types.Named, u *types.Interface) (string, bool) {
	for i, f := range w.fakes {
		if types.Identical(f.of, n) {
			return fakeName(i+1) + "{}", true
		}
	}
	name := fakeName(len(w.fakes) + 1)
	text := "type " + name + " struct{}\n"
	for m := range u.Methods() {
		body, ok := w.function(m.Signature())
		if !ok || !m.Exported() {
			return "", false
		}
		text += "\nfunc (" + name + ") " + m.Name() + strings.TrimPrefix(body, "func") + "\n"
	}
	w.fakes = append(w.fakes, fake{n, text})
	return name + "{}", true
}

// object writes an object of a named type, or a pointer to one, in the way of that number.
func (w *writer) object(t types.Type, depth, way int) (string, bool) {
	n := named(t)
	if n == nil || depth >= maxDepth {
		return "", false
	}
	_, pointer := types.Unalias(t).(*types.Pointer)
	name, ok := w.typeName(n)
	if !ok {
		return "", false
	}
	makers := w.program.makers(n)
	if way < len(makers) {
		return w.makes(makers[way], n, pointer, depth)
	}
	if len(makers) == 0 && pointer {
		if of := w.program.giver(n); of != nil && way == 0 {
			if on, ok := w.receiverOf(of, depth+1); ok {
				return w.from(on, of, n)
			}
		}
		if way > 0 {
			way--
		}
	}
	if way > len(makers) || types.IsInterface(n) {
		return "", false
	}
	if _, isStruct := n.Underlying().(*types.Struct); !isStruct {
		if pointer {
			return "new(" + name + ")", true
		}
		return "*new(" + name + ")", true
	}
	if pointer {
		return "&" + name + "{}", true
	}
	return name + "{}", true
}

// giver is an exported type of a type's package, with a function that makes it, whose methods
// return objects of the type; nil if there is none.
func (p *Program) giver(n *types.Named) *types.Named {
	pkg := n.Obj().Pkg()
	if pkg == nil {
		return nil
	}
	for _, name := range pkg.Scope().Names() {
		tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !tn.Exported() {
			continue
		}
		of, ok := types.Unalias(tn.Type()).(*types.Named)
		if ok && of.TypeParams().Len() == 0 && of.Obj() != n.Obj() && !types.IsInterface(of) && gives(of, n) && len(p.makers(of)) > 0 {
			return of
		}
	}
	return nil
}

// receiverOf writes a variable with an object, made in the first way.
func (w *writer) receiverOf(n *types.Named, depth int) (string, bool) {
	x, ok := w.object(types.NewPointer(n), depth, 0)
	if !ok {
		return "", false
	}
	if !variable.MatchString(x) {
		w.made++
		v := fmt.Sprintf("x%d", w.made)
		w.line(v + " := " + x)
		x = v
	}
	w.fill(x, n)
	return x, true
}

// filling begins the names of methods after which an object has something in it.
var filling = regexp.MustCompile(`^(Add|Append|Insert|Open|Push|Put|Register|Set|Start|Store|Subscribe|Write)`)

// maxFills bounds the calls that fill an object.
const maxFills = 3

// fill writes calls of methods that fill an object, if this test wants that: those that tests
// call first.
func (w *writer) fill(v string, n *types.Named) {
	if !w.filled || w.fills { // what a filled object has given is left as it is
		return
	}
	var methods []*types.Func
	for m := range n.Methods() {
		if m.Exported() && filling.MatchString(m.Name()) {
			methods = append(methods, m)
		}
	}
	tested := func(m *types.Func) int { return -len(w.program.calls[nameOf(m)]) }
	slices.SortStableFunc(methods, func(a, b *types.Func) int {
		return cmp.Or(cmp.Compare(tested(a), tested(b)), cmp.Compare(a.Name(), b.Name()))
	})
	for _, m := range methods[:min(len(methods), maxFills)] {
		if args, ok := w.arguments(m, m.Signature(), 1); ok {
			w.line("func() {")
			w.line("\tdefer func() { _ = recover() }()")
			w.line("\t" + v + "." + m.Name() + "(" + args + ")")
			w.line("}()")
			w.fills = true
		}
	}
}

// makes writes the call of a function that makes an object.
func (w *writer) makes(maker *types.Func, n *types.Named, pointer bool, depth int) (string, bool) {
	sig := maker.Signature()
	args := ""
	if sig.TypeParams().Len() > 0 {
		list, ok := arguments(sig.TypeParams())
		if !ok {
			return "", false
		}
		if n.TypeArgs().Len() == len(list) {
			list = slices.Collect(n.TypeArgs().Types())
		}
		inst, err := types.Instantiate(nil, sig, list, true)
		if err != nil {
			return "", false
		}
		sig = inst.(*types.Signature)
		var names []string
		for _, t := range list {
			names = append(names, must(w.typeName(t)))
		}
		args = "[" + strings.Join(names, ", ") + "]"
	}
	values, ok := w.arguments(maker, sig, depth+1)
	if !ok {
		return "", false
	}
	w.made++
	v := fmt.Sprintf("x%d", w.made)
	call := placeholder(maker.Pkg().Path()) + "." + maker.Name() + args + "(" + values + ")"
	if sig.Results().Len() == 2 {
		w.line(v + ", err := " + call)
		w.line("if err != nil {")
		w.line("\tt.Skip(err)")
		w.line("}")
	} else {
		w.line(v + " := " + call)
	}
	_, isPointer := types.Unalias(sig.Results().At(0).Type()).(*types.Pointer)
	switch {
	case pointer && !isPointer && !types.IsInterface(sig.Results().At(0).Type()):
		return "&" + v, true
	case !pointer && isPointer:
		return "*" + v, true
	}
	return v, true
}

// arguments writes the arguments of a call, as a test has them or by their types.
func (w *writer) arguments(fn *types.Func, sig *types.Signature, depth int) (string, bool) {
	var out []string
	given := w.program.given(fn, sig)
	for i := range sig.Params().Len() {
		if i < len(given) && given[i] != "" {
			out = append(out, given[i])
			continue
		}
		t := sig.Params().At(i).Type()
		if sig.Variadic() && i == sig.Params().Len()-1 {
			x, ok := w.value(t.(*types.Slice).Elem(), depth)
			if ok && depth == 0 {
				out = append(out, x)
			}
			break
		}
		x, ok := w.value(t, depth)
		if !ok {
			return "", false
		}
		out = append(out, x)
	}
	return strings.Join(out, ", "), true
}

// given are the arguments of the call in a test that has the most closed ones.
func (p *Program) given(fn *types.Func, sig *types.Signature) []string {
	var best []string
	most := -1
	for _, args := range p.calls[nameOf(fn)] {
		n := 0
		for _, a := range args {
			if a != "" {
				n++
			}
		}
		if n > most && len(args) <= sig.Params().Len() {
			best, most = args, n
		}
	}
	return best
}

// makers are the exported functions of a type's package that return an object of it.
func (p *Program) makers(n *types.Named) []*types.Func {
	pkg := n.Obj().Pkg()
	if pkg == nil {
		return nil
	}
	var out []*types.Func
	for _, name := range pkg.Scope().Names() {
		fn, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || !fn.Exported() {
			continue
		}
		res := fn.Signature().Results()
		if res.Len() == 0 || res.Len() > 2 || res.Len() == 2 && res.At(1).Type().String() != "error" {
			continue
		}
		if made := named(res.At(0).Type()); made != nil && made.Origin() == n.Origin() {
			out = append(out, fn)
		}
	}
	rank := func(fn *types.Func) int {
		switch {
		case len(p.calls[nameOf(fn)]) > 0:
			return 0
		case fn.Name() == "New"+n.Obj().Name():
			return 1
		case strings.HasPrefix(fn.Name(), "New"):
			return 2
		}
		return 3
	}
	slices.SortStableFunc(out, func(a, b *types.Func) int { return cmp.Compare(rank(a), rank(b)) })
	return out[:min(len(out), ways-1)]
}

// arguments are types for type parameters.
func arguments(params *types.TypeParamList) ([]types.Type, bool) {
	var out []types.Type
	for p := range params.TypeParams() {
		var found types.Type
		for _, k := range []types.BasicKind{types.String, types.Int, types.Float64} {
			if types.Satisfies(types.Typ[k], p.Constraint().Underlying().(*types.Interface)) {
				found = types.Typ[k]
				break
			}
		}
		if found == nil {
			return nil, false
		}
		out = append(out, found)
	}
	return out, true
}
