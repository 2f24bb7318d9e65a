package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// Calls of packages that are left out of the trace: missing methods. Around the bracket of an
// opaque call stand
//
//	g_.MethodBegin(header, package)
//	presagert_.Reach(g_, x)  // for what the call is given, as far as it leads anywhere
//	g_.MethodBegun(roots)
//	…
//	g_.MethodEnd(header, package, depth)
//
// Where only the run tells what is called, they depend on g_.Leaves(target).

// leave writes what comes before a call that leaves traced code, or may, and returns what comes
// after it.
func (b *body) leave(c *ssa.CallCommon, ip *plan.Instr) (end string) {
	leaves, pkg := b.fileEmitter.plan.Leaves(ip, c)
	if leaves == plan.Stays {
		return ""
	}
	begin, done := header(format.MethodBegin, format.FlagSeen, 0, ip.Site), header(format.MethodEnd, 0, 0, ip.Site)
	b.opaque = true
	if leaves == plan.Goes {
		b.given(c, fmt.Sprintf("g_.MethodBegin(%#x, %d)", begin, pkg))
		return fmt.Sprintf("g_.MethodEnd(%#x, %d, d_)", done, pkg)
	}
	b.out.putf("{ m_ := g_.Leaves(%s)", b.target(c, ip))
	b.out.put("if m_ != 0 {")
	b.given(c, fmt.Sprintf("g_.MethodBegin(%#x, m_)", begin))
	b.out.put("}")
	return fmt.Sprintf("if m_ != 0 { g_.MethodEnd(%#x, m_, d_) }; }", done)
}

// leaveOnce writes what comes before a call of a sync.Once whose function may be one of a package
// that is left out, and returns what comes after it: then all of the call is that package's.
func (b *body) leaveOnce(c *ssa.CallCommon, ip *plan.Instr) (end string) {
	f := b.fileEmitter.plan.Runs(c)
	if f == nil || b.gates {
		return ""
	}
	b.opaque = true
	b.barrier()
	b.out.putf("{ m_ := g_.Leaves(%s.Func(%s))", rtName, b.value(f))
	b.out.put("if m_ != 0 {")
	b.given(c, fmt.Sprintf("g_.MethodBegin(%#x, m_)", header(format.MethodBegin, format.FlagSeen, 0, ip.Site)))
	b.out.putf("g_.Opaque(%#x)", header(opaqueBegin, 0, 0, ip.Site))
	b.out.put("}")
	return fmt.Sprintf("if m_ != 0 { g_.OpaqueEnd(%#x, d_); g_.MethodEnd(%#x, m_, d_) }; }", header(opaqueEnd, 0, 0, ip.Site), header(format.MethodEnd, 0, 0, ip.Site))
}

// given writes the beginning of a call, with what it is given.
func (b *body) given(c *ssa.CallCommon, begin string) {
	b.out.put(begin)
	for _, v := range givenTo(c) {
		b.keepFunc(v)
		b.out.putf("%s.Reach(g_, %s)", rtName, b.value(v))
	}
	b.out.putf("g_.MethodBegun(%t)", b.fileEmitter.plan.Rooted(c))
}

// keepFunc keeps what a function value has captured off the stack. A literal of a package that is
// left out is made here if what makes it was inlined, and on the stack nobody could tell what it
// has captured.
func (b *body) keepFunc(v ssa.Value) {
	if _, fn := v.Type().Underlying().(*types.Signature); fn {
		b.out.putf("{ c_ := %s; %s.Heap(*(*%s.Pointer)(%[3]s.Pointer(&c_))) }", b.value(v), rtName, unsafeName)
	}
}

// givenTo returns what a call is given, as far as it leads anywhere.
func givenTo(c *ssa.CallCommon) (list []ssa.Value) {
	values := c.Args
	if c.StaticCallee() == nil {
		values = append([]ssa.Value{c.Value}, values...)
	}
	for _, v := range values {
		switch v.(type) {
		case *ssa.Const, *ssa.Function, *ssa.Builtin:
			continue
		}
		if leads(v.Type()) {
			list = append(list, v)
		}
	}
	return list
}

// A traced function that missing code calls tells the recorder what it is given and what it
// returns: D grows by it.
//
//	if g_.Back() { presagert_.Known(g_, x); … }

// handsBack writes that for the results of a return.
func (b *body) handsBack(in *ssa.Return) {
	var list []string
	for _, v := range in.Results {
		switch v.(type) {
		case *ssa.Const, *ssa.Function:
			continue
		}
		if leads(v.Type()) {
			list = append(list, b.value(v))
		}
	}
	if b.isAround() {
		b.out.put("g_.Frame().Over()")
	}
	b.out.text = append(b.out.text, b.known(list)...)
}

// handsBackAtEnd writes it for a function that has defers.
func (b *body) handsBackAtEnd(l *lines) {
	given := "struct{}{}"
	for i := range b.fn.Signature.Results().Len() {
		if leads(b.fn.Signature.Results().At(i).Type()) {
			given = fmt.Sprintf("%s.Both(&%s, %s)", rtName, b.resultName(i), given)
		}
	}
	if given != "struct{}{}" && b.fn.Recover != nil && b.calledBack() {
		l.putf("defer %s.KnownAtEnd(f_, %s)", rtName, given)
	}
	if b.isAround() { // it runs before that
		l.put("defer f_.Over()")
	}
}

// isGiven writes it for the parameters.
func (b *body) isGiven() (list []string) {
	for i := range b.plan.Params {
		if leads(b.plan.Params[i].Val.Type()) {
			list = append(list, b.operand(&b.plan.Params[i]))
		}
	}
	return b.known(list)
}

func (b *body) known(values []string) []string {
	if len(values) == 0 || !b.calledBack() {
		return nil
	}
	text := "if g_.Back() { "
	for _, v := range values {
		text += fmt.Sprintf("%s.Known(g_, %s); ", rtName, v)
	}
	return []string{text + "}"}
}

// calledBack reports whether there is missing code that may call the function.
func (b *body) calledBack() bool {
	p := b.fileEmitter.plan
	return (len(p.Missing.Packages) > 0 || p.Program.Around) && !b.gates
}

// later begins what a go or defer statement writes for a call that leaves traced code, or may: it
// returns the package as an expression, and what ends the text; "" if it stays.
func (b *body) later(c *ssa.CallCommon) (pkg, end string) {
	if b.gates {
		return "", ""
	}
	if f := b.fileEmitter.plan.Runs(c); f != nil {
		b.out.putf("{ m_ := g_.Leaves(%s.Func(%s))", rtName, b.value(f))
		return "m_", " }"
	}
	leaves, n, t := b.fileEmitter.plan.LeavesLater(c)
	switch leaves {
	case plan.Stays:
		return "", ""
	case plan.Goes:
		return fmt.Sprint(n), ""
	}
	b.out.putf("{ m_ := g_.Leaves(%s)", b.targetOf(c, t))
	return "m_", " }"
}

// goLeaves writes what a goroutine can reach that begins outside traced code. Its MethodBegin is
// the first thing that it records.
func (b *body) goLeaves(in *ssa.Go, ip *plan.Instr) {
	b.barrier()
	pkg, end := b.later(&in.Call)
	if pkg == "" {
		return
	}
	b.out.putf("g_.MethodGo(%#x, %s)", header(format.MethodBegin, format.FlagSeen, 0, ip.Site), pkg)
	for _, v := range givenTo(&in.Call) {
		b.keepFunc(v)
		b.out.putf("%s.Reach(g_, %s)", rtName, b.value(v))
	}
	b.out.putf("g_.MethodGoes(%t)%s", b.fileEmitter.plan.Rooted(&in.Call), end)
}

// deferLeaves writes a defer statement. A call that leaves traced code stands between two others,
// of which the one that is deferred last runs first. It is deferred itself, so recover works in it,
// and its caller is who it was.
func (b *body) deferLeaves(in *ssa.Defer, ip *plan.Instr, call func(leaves string)) {
	pkg, end := b.later(&in.Call)
	if pkg == "" {
		call("")
		return
	}
	b.opaque = true
	given := "struct{}{}"
	for _, v := range givenTo(&in.Call) {
		b.keepFunc(v)
		given = fmt.Sprintf("%s.Both(%s, %s)", rtName, b.value(v), given)
	}
	b.out.putf("defer g_.MethodEnd(%#x, %s, d_)", header(format.MethodEnd, 0, 0, ip.Site), pkg)
	call(pkg)
	b.out.putf("defer %s.Deferred(g_, %#x, %s, d_, %t, %s)%s", rtName, header(format.MethodBegin, format.FlagSeen, 0, ip.Site), pkg,
		b.fileEmitter.plan.Rooted(&in.Call), given, end)
}

// isAround reports whether what the function can reach is recorded when it is entered.
func (b *body) isAround() bool { return !b.gates && b.fileEmitter.plan.Around(b.plan) }

// around records what the function can reach (plan.Config.Around). It ends where the function is
// left (Over), before the code that has called it, which may be such a function, is told what it
// returns.
func (b *body) around() []string {
	if !b.isAround() {
		return nil
	}
	sub := &body{unitEmitter: b.unitEmitter, plan: b.plan, fn: b.fn, names: b.names, slots: b.slots, inlined: b.inlined, roomAt: -1}
	sub.out.putf("g_.MethodBegin(%#x, %d)", header(format.MethodBegin, format.FlagSeen, 0, b.plan.Site), Around+int(b.plan.ID))
	for i := range b.plan.Params {
		if v := b.plan.Params[i].Val; leads(v.Type()) {
			sub.out.putf("%s.Reach(g_, %s)", rtName, sub.operand(&b.plan.Params[i]))
		}
	}
	for _, g := range b.plan.Variables() {
		sub.out.putf("%s.Reach(g_, %s)", rtName, sub.value(g))
	}
	sub.out.put("g_.MethodBegun(false)")
	return sub.out.text
}

// Around is the number of function 0 in the MethodBegins of functions. A number has 32 bits
// (package format).
const Around = 1 << 31

// leads reports whether a value of type t may have pointers in it, that of a string aside.
func leads(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return leads(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if leads(u.Field(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// outside writes a file for each package that is left out: what tells the recorder its name, and
// where the variables are that its functions use. The list is data, made by the linker: nothing is
// initialised later than without it. The recorder is told before anything else of the package runs,
// for its initialisation may start goroutines: by the first variable of the first file, whose value
// depends on nothing (that a method refers to the list does not count, as it is called through an
// interface).
func (r *Result) outside() error {
	traced := "\n"
	for _, pkg := range r.Plan.Program.Packages {
		path := linkPath(pkg.PkgPath)
		if pkg.Name == "main" {
			path = "main\n" + path
		}
		traced += path + "\n"
		for _, f := range pkg.GoFiles[:min(1, len(pkg.GoFiles))] {
			traced += filepath.Dir(f) + "\n"
		}
	}
	traced += r.methodValues()
	for _, u := range r.Plan.Units {
		if u.Opaque != "" { // what its closures have captured, they access without a record
			traced = ""
		}
	}
	if r.Plan.Program.Around {
		if err := r.tellTraced(traced); err != nil {
			return err
		}
	}
	for i, pkg := range r.Plan.Missing.Packages {
		text := outsideFile(pkg, r.Plan.Missing.Roots[pkg.PkgPath], i+1, traced)
		name := filepath.Join(r.cfg.OutDir, fmt.Sprintf("outside%d.go", i))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return fmt.Errorf("writing emitted source: %w", err)
		}
		r.Overlay[filepath.Join(filepath.Dir(pkg.GoFiles[0]), "00_presage_outside.go")] = name
	}
	return nil
}

// tellTraced has packages tell the recorder what is traced, where none that is left out does.
func (r *Result) tellTraced(traced string) error {
	for i, pkg := range r.Plan.Program.Packages {
		if len(pkg.GoFiles) == 0 || strings.HasSuffix(pkg.Name, "_test") {
			continue
		}
		name := filepath.Join(r.cfg.OutDir, fmt.Sprintf("traced%d.go", i))
		text := fmt.Sprintf("package %s\n\nimport %s %q\n\nfunc init() { %s.Traced(%q) }\n", pkg.Name, rtName, rtPath, rtName, traced)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return fmt.Errorf("writing emitted source: %w", err)
		}
		r.Overlay[filepath.Join(filepath.Dir(pkg.GoFiles[0]), "presage_traced.go")] = name
	}
	return nil
}

func outsideFile(pkg *plan.Package, roots []*types.Var, index int, traced string) string {
	var imports, list strings.Builder
	names := map[string]string{}
	for _, v := range roots {
		if v.Name() == "_" || !inSource(pkg, v) {
			continue
		}
		if v.Pkg().Path() == pkg.Types.Path() {
			fmt.Fprintf(&list, "&%s,\n", v.Name())
			continue
		}
		if !v.Exported() || !importable(v.Pkg().Path(), pkg.Types.Path()) {
			continue // what only linkname can name
		}
		n, ok := names[v.Pkg().Path()]
		if !ok {
			n = fmt.Sprintf("i%d_presage_", len(names))
			names[v.Pkg().Path()] = n
			fmt.Fprintf(&imports, "import %s %q\n", n, v.Pkg().Path())
		}
		fmt.Fprintf(&list, "&%s.%s,\n", n, v.Name())
	}
	return fmt.Sprintf("package %s\n\nimport %s %q\n%s\nvar presage_outside_ = []interface{}{\n%s}\n\n", pkg.Types.Name(), rtName, rtPath, imports.String(), list.String()) +
		"type presage_roots_ struct{}\n\nfunc (presage_roots_) Roots() []interface{} { return presage_outside_ }\n\n" +
		fmt.Sprintf("var _ = %s.Outside(%d, %q, %q, presage_roots_{}, presage_here_)\n\nfunc presage_here_() {}\n", rtName, index, linkPath(pkg.PkgPath), traced)
}

// inSource reports whether a variable is declared in a file that is compiled as it stands: not by
// cgo.
func inSource(pkg *plan.Package, v *types.Var) bool {
	if v.Pkg().Path() != pkg.Types.Path() {
		return true
	}
	for _, f := range pkg.Syntax {
		if f.FileStart <= v.Pos() && v.Pos() < f.FileEnd {
			return plan.IsSource(pkg, pkg.FileName(f)) && !importsC(f)
		}
	}
	return false
}

func importsC(f *ast.File) bool {
	for _, im := range f.Imports {
		if im.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// linkPath is a package path as names of functions have it.
func linkPath(path string) string {
	slash := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f:
			fmt.Fprintf(&b, "%%%02x", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
