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
