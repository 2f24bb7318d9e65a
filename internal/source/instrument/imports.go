package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Names that every emitted file imports. Emitted identifiers end in an underscore.
const (
	rtPath     = "presagert"
	rtName     = "presagert_"
	unsafeName = "unsafe_"
)

// importName returns the name under which the emitted file imports tp.
func (f *fileEmitter) importName(tp *types.Package) string {
	if tp == types.Unsafe {
		return unsafeName
	}
	if n, ok := f.imports[tp.Path()]; ok {
		return n
	}
	if !importable(tp.Path(), f.pkg.Types.Path()) {
		refuse("package that may not be imported here")
	}
	n := fmt.Sprintf("i%d_%s", len(f.imports), tp.Name())
	f.imports[tp.Path()] = n
	f.imported[tp.Path()] = tp
	return n
}

// importable applies the go command's rules for internal and vendored packages.
func importable(path, from string) bool {
	if strings.HasPrefix(path, "vendor/") || strings.Contains(path, "/vendor/") || path == "main" {
		return false
	}
	parts := strings.Split(path, "/")
	for i, part := range slices.Backward(parts) {
		if part == "internal" {
			root := strings.Join(parts[:i], "/")
			from = strings.TrimSuffix(from, "_test")
			return i > 0 && (from == root || strings.HasPrefix(from, root+"/"))
		}
	}
	return true
}

// importEdits blanks the imports that the file does not use any more, and adds those of the emitted
// text right after the package clause, on its line.
func (f *fileEmitter) importEdits(replaced map[ast.Node]bool) []edit {
	used, dots := f.usedImports(replaced)
	var edits []edit
	for _, im := range f.file.Imports {
		path, _ := strconv.Unquote(im.Path.Value)
		if path == "embed" || path == "C" || im.Name != nil && im.Name.Name == "_" {
			continue
		}
		var keep bool
		if im.Name != nil && im.Name.Name == "." {
			keep = dots[path]
		} else {
			pn := f.pkg.TypesInfo.PkgNameOf(im)
			keep = pn == nil || used[pn]
		}
		if !keep {
			edits = append(edits, edit{from: f.offset(im.Pos()), to: f.offset(im.End()), text: "_ " + im.Path.Value})
		}
	}
	head := fmt.Sprintf("; import %s %q; import %s \"unsafe\"", rtName, rtPath, unsafeName)
	for _, path := range sortedKeys(f.imports) {
		head += fmt.Sprintf("; import %s %q", f.imports[path], path)
	}
	at := f.offset(f.file.Name.End())
	return append(edits, edit{from: at, to: at, text: head})
}

// usedImports finds the imports that the declarations left as written refer to, and the
// paths of packages whose names they use without a qualifier.
func (f *fileEmitter) usedImports(replaced map[ast.Node]bool) (map[*types.PkgName]bool, map[string]bool) {
	used, dots := map[*types.PkgName]bool{}, map[string]bool{}
	for _, d := range f.file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if n != nil && replaced[n] {
				return false
			}
			if id, ok := n.(*ast.Ident); ok {
				switch o := f.pkg.TypesInfo.Uses[id].(type) {
				case nil:
				case *types.PkgName:
					used[o] = true
				default:
					if o.Pkg() != nil {
						dots[o.Pkg().Path()] = true
					}
				}
			}
			return true
		})
	}
	return used, dots
}

func sortedKeys[V any](m map[string]V) []string {
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}
