package recorder

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"regexp"
	"strings"

	"github.com/presage-race/presage/internal/record/goversion"
)

// The compiler replaces calls of sync/atomic's functions by instructions, knowing them by name; a
// changed body never runs. So the methods of sync/atomic's types call functions of other names, in
// small letters:
//
//	func addInt64(addr *int64, delta int64) (new int64) { return
//	int64(presageAdd64((*uint64)(unsafe.Pointer(addr)), uint64(delta))) }
//
// and packages that call the functions are compiled with -d=ssa/intrinsics/off (GCFlags). Tempting
// and wrong: to make AddInt64 a variable (the compiler looks at the name all the same) or generic
// (a module whose go.mod says go1.17 cannot call it); to turn intrinsics off everywhere (math.Sqrt
// is a loop then).

// atomicOverlay returns the files of sync/atomic.
func (b *builder) atomicOverlay() error {
	var out bytes.Buffer
	out.WriteString("package atomic\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n")
	names := map[string]bool{}
	for _, file := range goversion.AtomicFiles(b.version) {
		src, err := b.Source(file)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
		if err != nil {
			return fmt.Errorf("sync/atomic of %s: %w", b.version, err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body != nil || fn.Recv != nil {
				continue
			}
			names[fn.Name.Name] = true
			if err := atomicFunc(&out, fset, fn); err != nil {
				return fmt.Errorf("%s: %s: %w", b.version, file, err)
			}
		}
		b.Add(file, []byte("package atomic\n"))
	}
	b.Add("sync/atomic/presage.go", append(out.Bytes(), atomicDecls...))
	b.Add("sync/atomic/asm.s", []byte("// Empty: functions without a body are implemented in package runtime.\n"))
	call := regexp.MustCompile(`\b(Swap|CompareAndSwap|Add|And|Or|Load|Store)(Int32|Int64|Uint32|Uint64|Uintptr|Pointer)\(`)
	for _, file := range []string{"sync/atomic/type.go", "sync/atomic/value.go"} {
		src, err := b.Source(file)
		if err != nil {
			return err
		}
		src = call.ReplaceAllFunc(src, func(m []byte) []byte {
			if !names[strings.TrimSuffix(string(m), "(")] {
				return m
			}
			return append(bytes.ToLower(m[:1]), m[1:]...)
		})
		b.Add(file, src)
	}
	return nil
}

var atomicName = regexp.MustCompile(`^(Swap|CompareAndSwap|Add|And|Or|Load|Store)(Int32|Int64|Uint32|Uint64|Uintptr|Pointer)$`)

// atomicFunc writes the variable and the function for fn.
func atomicFunc(out *bytes.Buffer, fset *token.FileSet, fn *ast.FuncDecl) error {
	m := atomicName.FindStringSubmatch(fn.Name.Name)
	if m == nil {
		return fmt.Errorf("unknown function %s", fn.Name.Name)
	}
	op, typ := m[1], m[2]
	var sig bytes.Buffer
	if err := printer.Fprint(&sig, fset, fn.Type); err != nil {
		return err
	}
	small := strings.ToLower(op[:1]) + fn.Name.Name[1:]
	impl, word := "presage"+op+"32", "uint32"
	switch typ {
	case "Int64", "Uint64", "Uintptr":
		impl, word = "presage"+op+"64", "uint64"
	case "Pointer":
		impl, word = "presage"+op+"Pointer", "unsafe.Pointer"
	}
	var args []string
	for i, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			if i == 0 && len(args) == 0 {
				args = append(args, "(*"+word+")(unsafe.Pointer("+name.Name+"))")
			} else {
				args = append(args, word+"("+name.Name+")")
			}
		}
	}
	call := impl + "(" + strings.Join(args, ", ") + ")"
	switch op {
	case "Store":
	case "CompareAndSwap":
		call = "return " + call
	default:
		var res bytes.Buffer
		printer.Fprint(&res, fset, fn.Type.Results.List[0].Type)
		call = "return " + res.String() + "(" + call + ")"
	}
	for _, name := range []string{fn.Name.Name, small} {
		fmt.Fprintf(out, "\nfunc %s%s {\n\t%s\n}\n", name, strings.TrimPrefix(sig.String(), "func"), call)
	}
	return nil
}

// atomicDecls are implemented in _std/runtime/presage_atomic.go.
const atomicDecls = `
//go:noescape
func presageLoad32(p *uint32) uint32

//go:noescape
func presageLoad64(p *uint64) uint64

//go:noescape
func presageStore32(p *uint32, v uint32)

//go:noescape
func presageStore64(p *uint64, v uint64)

//go:noescape
func presageSwap32(p *uint32, new uint32) uint32

//go:noescape
func presageSwap64(p *uint64, new uint64) uint64

//go:noescape
func presageCompareAndSwap32(p *uint32, old, new uint32) bool

//go:noescape
func presageCompareAndSwap64(p *uint64, old, new uint64) bool

//go:noescape
func presageAdd32(p *uint32, d uint32) uint32

//go:noescape
func presageAdd64(p *uint64, d uint64) uint64

//go:noescape
func presageAnd32(p *uint32, m uint32) uint32

//go:noescape
func presageAnd64(p *uint64, m uint64) uint64

//go:noescape
func presageOr32(p *uint32, m uint32) uint32

//go:noescape
func presageOr64(p *uint64, m uint64) uint64

//go:noescape
func presageLoadPointer(p *unsafe.Pointer) unsafe.Pointer

// The new value escapes.
func presageStorePointer(p *unsafe.Pointer, v unsafe.Pointer)
func presageSwapPointer(p *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer
func presageCompareAndSwapPointer(p *unsafe.Pointer, old, new unsafe.Pointer) bool
`
