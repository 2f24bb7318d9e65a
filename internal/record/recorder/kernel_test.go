package recorder

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/record/goversion"
)

// kernelCalls is what the recorder knows of system calls, from its source.
type kernelCalls struct {
	memory map[int]map[int]bool // by call and argument, from 1
	class  map[int]string       // by call, the list that it is in; one that is in none is a cut
	arm64  map[int]int          // numbers of arm64, and those of the tables
}

// readKernelCalls reads the tables of presage_kernel.go and presage_calls.go.
func readKernelCalls(t *testing.T) kernelCalls {
	t.Helper()
	k := kernelCalls{memory: map[int]map[int]bool{}, class: map[int]string{}, arm64: map[int]int{}}
	for _, file := range []string{"presage_kernel.go", "presage_calls.go", "presage_calls_arm64.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("_std/runtime", file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			lit, ok := v.Values[0].(*ast.CompositeLit)
			if !ok {
				return true
			}
			for _, e := range lit.Elts {
				k.add(t, v.Names[0].Name, e)
			}
			return true
		})
	}
	if len(k.memory) < 100 || len(k.class) < 100 {
		t.Fatalf("the tables have %d and %d calls", len(k.memory), len(k.class))
	}
	return k
}

// add adds an element of a table.
func (k *kernelCalls) add(t *testing.T, table string, e ast.Expr) {
	number := func(e ast.Expr) int {
		n, err := strconv.Atoi(e.(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	switch x := e.(type) {
	case *ast.BasicLit:
		n := number(x)
		if old := k.class[n]; old != "" {
			t.Errorf("system call %d is in %s and in %s", n, old, table)
		}
		k.class[n] = table
	case *ast.CompositeLit:
		n := number(x.Elts[0])
		if table == "pgCallsArm64" {
			if k.arm64[n] != 0 {
				t.Errorf("system call %d of arm64 is listed twice", n)
			}
			k.arm64[n] = number(x.Elts[1])
			return
		}
		if k.memory[n] == nil {
			k.memory[n] = map[int]bool{}
		}
		k.memory[n][number(x.Elts[1])] = true
		if of := number(x.Elts[4]); strings.HasSuffix(x.Elts[2].(*ast.Ident).Name, "Sockaddr") {
			k.memory[n][of] = true
		}
	}
}

// callNumbers reads the numbers of system calls of a processor.
func callNumbers(t *testing.T, root, arch string) map[string]int {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "src/syscall/zsysnum_linux_"+arch+".go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]int{}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if lit, ok := v.Values[0].(*ast.BasicLit); ok {
					list[v.Names[0].Name], _ = strconv.Atoi(lit.Value)
				}
			}
		}
	}
	if arch == "amd64" {
		list["SYS_FSTATAT"] = list["SYS_NEWFSTATAT"]
	}
	return list
}

// translate makes numbers of arm64 those of the tables. A call that is in no table has none. The
// numbers have the same name on amd64, if it has that name.
func (k *kernelCalls) translate(t *testing.T, numbers, amd64 map[string]int) {
	compared := 0
	for name, n := range numbers {
		to, in := k.arm64[n]
		switch number, there := amd64[name]; {
		case !there:
		case in && to != number:
			t.Errorf("system call %d of arm64, %s, is call %d of amd64, not %d", n, name, number, to)
		case !in && (k.class[number] != "" || number == 9 || number == 25 || number == 72):
			t.Errorf("pgCallsArm64 has no %s (%d: that is %d)", name, n, number)
		case in:
			compared++
		}
		if !in {
			to = -1
		}
		numbers[name] = to
	}
	if compared < 100 {
		t.Errorf("only %d calls of arm64 were compared", compared)
	}
}

// unrecorded are system calls whose memory is not recorded, and need not be.
var unrecorded = map[string]string{
	"SYS_EXECVE":   "of its own process no goroutine is left",
	"SYS_CLONE":    "to a child that has memory of its own",
	"SYS_MADVISE":  "a cut by its third argument, or changes no memory",
	"SYS_MPROTECT": "changes no memory",
	"SYS_MLOCK":    "changes no memory",
	"SYS_MUNLOCK":  "changes no memory",
}

// kernelPackages returns the packages of the standard library that make system calls, for a
// processor.
func kernelPackages(t *testing.T, arch string) (root string, all []*build.Package) {
	t.Helper()
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	ctx := build.Default
	ctx.GOROOT, ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = strings.TrimSpace(string(out)), goversion.OS, arch, true
	for _, pkg := range []string{"syscall", "internal/syscall/unix"} {
		p, err := ctx.ImportDir(filepath.Join(ctx.GOROOT, "src", pkg), 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return ctx.GOROOT, all
}

// TestKernel: each system call of package syscall that is given a pointer has its accesses
// recorded, or is a cut.
func TestKernel(t *testing.T) {
	for _, arch := range goversion.Archs {
		t.Run(arch, func(t *testing.T) { testKernel(t, arch) })
	}
}

func testKernel(t *testing.T, arch string) {
	root, std := kernelPackages(t, arch)
	k, numbers := readKernelCalls(t), callNumbers(t, root, arch)
	if arch != "amd64" {
		k.translate(t, numbers, callNumbers(t, root, "amd64"))
	}
	for n := range k.memory {
		if k.class[n] == "" {
			t.Errorf("system call %d has accesses, and is a cut: add it to a list", n)
		}
	}
	functions := 0
	for _, pkg := range std {
		for _, file := range pkg.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !strings.HasPrefix(fn.Name.Name, "forkAndExecInChild") {
					functions += k.hold(t, fn, numbers)
				}
			}
		}
	}
	if functions < 60 {
		t.Errorf("%d system calls with pointers were found", functions)
	}
}

// hold holds the system calls of a function against the tables. It returns how many have pointers.
func (k *kernelCalls) hold(t *testing.T, fn *ast.FuncDecl, numbers map[string]int) (n int) {
	pointers := pointersOf(fn)
	ast.Inspect(fn.Body, func(x ast.Node) bool {
		call, ok := x.(*ast.CallExpr)
		if !ok || len(call.Args) < 4 {
			return true
		}
		name := lastName(call.Args[0])
		if !strings.Contains(strings.ToLower(lastName(call.Fun)), "syscall") || !strings.Contains(name, "SYS_") {
			return true
		}
		number, known := numbers[name]
		if !known || k.class[number] == "" || number == 72 || unrecorded[name] != "" {
			return true // fcntl has a class by command
		}
		for i, arg := range call.Args[1:] {
			if !mentions(arg, pointers) {
				continue
			}
			n++
			if !k.memory[number][i+1] {
				t.Errorf("%s gives argument %d of %s to the kernel, and nothing says what that does to it", fn.Name.Name, i+1, name)
			}
		}
		return true
	})
	return n
}

// pointersOf are the names of variables of a function that hold a pointer as such, not as a number.
func pointersOf(fn *ast.FuncDecl) map[string]bool {
	list := map[string]bool{"Pointer": true}
	for _, p := range fn.Type.Params.List {
		if _, ok := p.Type.(*ast.StarExpr); ok || lastName(p.Type) == "Pointer" {
			for _, x := range p.Names {
				list[x.Name] = true
			}
		}
	}
	return list
}

func mentions(x ast.Expr, names map[string]bool) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || names[n.Name] || strings.HasPrefix(n.Name, "_p")
		case *ast.CallExpr:
			return lastName(n.Fun) != "len"
		}
		return true
	})
	return found
}

func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}
