package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
)

// outside writes a file for each excluded package. The file passes to the recorder the name of the
// package and the addresses of the variables that its functions use. The list is data that the
// linker makes, so no initialisation comes later than without it. The call is made before other
// code of the package runs, because its initialisation may start goroutines. It initialises the
// first variable of the first file, whose value depends on no other. (A method refers to the list,
// but that is no dependency, because it is called through an interface.)
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
		if u.Opaque != "" { // its closures access captured variables without a record
			traced = ""
		}
	}
	if r.Plan.Program.Around {
		if err := r.writeTraced(traced); err != nil {
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

// writeTraced writes a file for each traced package that passes the list of traced packages to the
// recorder. It is needed if no excluded package does so.
func (r *Result) writeTraced(traced string) error {
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

// linkPath returns a package path as it occurs in linker names of functions.
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
