package harness

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Test is a test of two calls.
type Test struct {
	Name string
	Text string // of the file
}

// Tests writes tests in which two goroutines call two functions: one for each way to make the
// object that both are called on. The functions are named by the keys that go/ssa gives them.
// pkg is the name of the tests' package. There is none if a function cannot be called from outside.
func (p *Program) Tests(pkg, name, first, second string) (tests []Test) {
	written := map[string]bool{}
	for way := range ways + 1 {
		f, fRecv := p.function(first)
		g, gRecv := p.function(second)
		if f == nil || g == nil {
			return nil
		}
		w := &writer{program: p, filled: way == ways}
		if !w.calls(f, g, fRecv, gRecv, way%ways) || w.filled && !w.fills {
			continue
		}
		t := Test{Name: fmt.Sprintf("Test%s%c", name, 'A'+way)}
		if all := strings.Join(w.lines, "\n"); written[all] {
			continue
		} else {
			written[all] = true
		}
		if text, ok := p.file(pkg, &t, w); ok {
			t.Text = text
			tests = append(tests, t)
		}
		if fRecv == nil && gRecv == nil {
			break
		}
	}
	return tests
}

// Callable returns the first of the functions that code outside of their packages can call; "" if
// there is none.
func (p *Program) Callable(keys []string) string {
	for _, k := range keys {
		if fn, _ := p.function(k); fn != nil {
			return k
		}
	}
	return ""
}

// function finds an exported function, or a method of an exported type, with the type's instance.
func (p *Program) function(key string) (*types.Func, *types.Named) {
	typ, method, isMethod := strings.Cut(key, ").")
	path := strings.TrimLeft(strings.TrimSuffix(typ, ")"), "(*")
	path, _, _ = strings.Cut(path, "[")
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return nil, nil
	}
	pkg := p.packages[path[:i]]
	if pkg == nil || pkg.Name == "main" {
		return nil, nil
	}
	obj := pkg.Types.Scope().Lookup(path[i+1:])
	switch {
	case obj == nil:
		return nil, nil
	case !obj.Exported() && isMethod:
		return promoted(pkg.Types.Scope(), obj, method)
	case !obj.Exported():
		return nil, nil
	}
	if !isMethod {
		fn, _ := obj.(*types.Func)
		if fn != nil && fn.Signature().TypeParams().Len() > 0 {
			return nil, nil
		}
		return fn, nil
	}
	n, _ := types.Unalias(obj.Type()).(*types.Named)
	if n == nil || !token.IsExported(method) {
		return nil, nil
	}
	if n.TypeParams().Len() > 0 {
		list, ok := arguments(n.TypeParams())
		if !ok {
			return nil, nil
		}
		inst, err := types.Instantiate(nil, n, list, true)
		if err != nil {
			return nil, nil
		}
		n = inst.(*types.Named)
	}
	for m := range n.Methods() {
		if m.Name() == method {
			return m, n
		}
	}
	return nil, nil
}

// promoted finds a method of a type without an exported name in an exported type that embeds it.
func promoted(scope *types.Scope, of types.Object, method string) (*types.Func, *types.Named) {
	if !token.IsExported(method) {
		return nil, nil
	}
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !tn.Exported() {
			continue
		}
		n, ok := types.Unalias(tn.Type()).(*types.Named)
		if !ok || n.TypeParams().Len() > 0 || types.IsInterface(n) {
			continue
		}
		fn, _, _ := types.LookupFieldOrMethod(n, true, of.Pkg(), method)
		m, ok := fn.(*types.Func)
		if !ok {
			continue
		}
		if recv := named(m.Signature().Recv().Type()); recv != nil && recv.Obj() == of {
			return m, n
		}
	}
	return nil, nil
}

// objects writes the objects of the two types, "" of none. Of two types, the one may come from the
// other.
func (w *writer) objects(f, g *types.Named, way int) (of, og string, ok bool) {
	if f == nil && g == nil {
		return "", "", true
	}
	if f == nil || g != nil && f.Obj() != g.Obj() && gives(g, f) && !gives(f, g) {
		og, of, ok = w.objects(g, f, way)
		return of, og, ok
	}
	if of, ok = w.receiver(f, way); !ok || g == nil {
		return of, "", ok
	}
	if g.Obj() == f.Obj() {
		return of, of, true
	}
	if og, ok = w.from(of, f, g); !ok {
		og, ok = w.receiver(g, way)
	}
	return of, og, ok
}

// gives reports whether a method of one type returns an object of another.
func gives(of, n *types.Named) bool {
	for m := range of.Methods() {
		if returns(m, n) {
			return true
		}
	}
	return false
}

// returns reports whether an exported method returns an object of a type, and maybe an error.
func returns(m *types.Func, n *types.Named) bool {
	res := m.Signature().Results()
	if !m.Exported() || res.Len() == 0 || res.Len() > 2 || res.Len() == 2 && res.At(1).Type().String() != "error" {
		return false
	}
	made := named(res.At(0).Type())
	return made != nil && made.Obj() == n.Obj()
}

// calls writes the two calls; false if an argument cannot be made.
func (w *writer) calls(f, g *types.Func, fRecv, gRecv *types.Named, way int) bool {
	var on [2]string
	var ok bool
	if on[0], on[1], ok = w.objects(fRecv, gRecv, way); !ok {
		return false
	}
	var both [2]string
	for i, fn := range []*types.Func{f, g} {
		args, ok := w.arguments(fn, fn.Signature(), 0)
		if !ok {
			return false
		}
		callee := placeholder(fn.Pkg().Path()) + "." + fn.Name()
		if on[i] != "" {
			callee = on[i] + "." + fn.Name()
		}
		both[i] = callee + "(" + args + ")"
	}
	w.line("done := make(chan any, 2)")
	for _, call := range both {
		w.line("go func() {")
		w.line("\tdefer func() { done <- recover() }()")
		w.line("\t" + call)
		w.line("}()")
	}
	w.line("for range 2 {")
	w.line("\tselect {")
	w.line("\tcase p := <-done:")
	w.line("\t\tif p != nil {")
	w.line("\t\t\tt.Error(p)")
	w.line("\t\t}")
	w.line(marked("\tcase <-{{time}}.After({{time}}.Second):"))
	w.line("\t\tt.Error(\"a call does not return\")")
	w.line("\t}")
	w.line("}")
	return true
}

// receiver writes a variable with an object that methods are called on.
func (w *writer) receiver(n *types.Named, way int) (string, bool) {
	x, ok := w.object(types.NewPointer(n), 0, way)
	if !ok {
		return "", false
	}
	if !variable.MatchString(x) {
		w.made++
		v := "x" + strconv.Itoa(w.made)
		w.line(v + " := " + x)
		x = v
	}
	w.fill(x, n)
	return x, true
}

var variable = regexp.MustCompile(`^x[0-9]+$`)

// from writes a variable with an object that a method of another one returns.
func (w *writer) from(on string, of, n *types.Named) (string, bool) {
	for m := range of.Methods() {
		if !returns(m, n) {
			continue
		}
		args, ok := w.arguments(m, m.Signature(), 1)
		if !ok {
			continue
		}
		w.made++
		v := "x" + strconv.Itoa(w.made)
		w.line(v + pick(m.Signature().Results().Len() == 2, ", _", "") + " := " + on + "." + m.Name() + "(" + args + ")")
		return v, true
	}
	return "", false
}

func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

// visible reports whether the module of the tests may import a package.
func (p *Program) visible(path string) bool {
	parent, _, internal := strings.Cut("/"+path+"/", "/internal/")
	return !internal || strings.HasPrefix("/"+p.module+"/", parent+"/")
}

var placeholders = regexp.MustCompile(opening + "([^" + opening + closing + "]+)" + closing)

// file writes a file with one test; false if it does not type-check.
func (p *Program) file(pkg string, t *Test, w *writer) (string, bool) {
	body := "func " + t.Name + "(t *testing.T) {\n\t" + strings.Join(w.lines, "\n\t") + "\n}\n"
	for i, f := range w.fakes {
		own := fakeName(i + 1) // of the package's test files, each has its own
		body = strings.ReplaceAll(body+"\n"+f.text, own, strings.ToLower(t.Name)+strings.Trim(own, "\x03"))
	}
	names := map[string]string{"testing": "testing"} // of packages, by path
	taken := map[string]bool{"testing": true, "t": true, "done": true}
	for _, m := range placeholders.FindAllStringSubmatch(body, -1) {
		known := p.types[m[1]]
		if names[m[1]] != "" || known == nil {
			continue
		}
		if !p.visible(m[1]) {
			return "", false
		}
		n := known.Name()
		for i := 2; taken[n]; i++ {
			n = known.Name() + strconv.Itoa(i)
		}
		names[m[1]], taken[n] = n, true
	}
	body = placeholders.ReplaceAllStringFunc(body, func(s string) string { return names[s[1:len(s)-1]] })
	var paths, imports []string
	for path := range names {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		alias := ""
		if last := path[strings.LastIndexByte(path, '/')+1:]; last != names[path] {
			alias = names[path] + " "
		}
		imports = append(imports, "\t"+alias+strconv.Quote(path))
	}
	text := fmt.Sprintf("package %s\n\nimport (\n%s\n)\n\n%s", pkg, strings.Join(imports, "\n"), body)
	source, err := format.Source([]byte(text))
	if err != nil {
		return "", false
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", source, 0)
	if err != nil {
		return "", false
	}
	conf := types.Config{Importer: p, Error: func(err error) {}}
	if _, err := conf.Check(pkg, fset, []*ast.File{f}, nil); err != nil {
		return "", false
	}
	return string(source), true
}
