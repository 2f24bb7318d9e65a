// Command shape prints figures of how a module of Go is built, package by package: what a reader
// has to hold in mind, not what the code computes.
//
//	go -C tools run ./shape [-v] [-limits] ../internal/... ../cmd/...
//
// The columns are
//
//	functions   without tests, and the share of them with more than 60 lines
//	methods     of the type that has most
//	back        references between files of the package that point backwards, as a share of all, in
//	            the order of files that has fewest found
//	wide        comment lines of more than 100 columns, tests included, tables and links aside
//	long        sentences of more than 40 words in the package doc, of all sentences
//
// With -v, it lists the functions, types, files and sentences behind the figures. With -limits,
// it fails if a type has more than 40 methods, if 20 % of the references between the files of a
// package point backwards, if a comment line is too wide, or, over all packages, if 1 % of the
// functions or 0.5 % of the sentences are too long.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"
)

// Limits of what is counted.
const (
	longFunction = 60  // lines
	manyMethods  = 40  // of a type
	wideComment  = 100 // columns
	longSentence = 40  // words

	mostLong   = 0.01  // of all functions
	mostBack   = 0.20  // of the references of a package
	mostLonger = 0.005 // of all sentences
)

func main() {
	log.SetFlags(0)
	verbose := flag.Bool("v", false, "list what is counted")
	limits := flag.Bool("limits", false, "fail if a figure is over its limit")
	flag.Parse()
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedImports | packages.NeedDeps
	list, err := packages.Load(&packages.Config{Mode: mode, Dir: dirOf(flag.Args())}, patterns(flag.Args())...)
	if err != nil {
		log.Fatal(err)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "package\tfunctions\tlong\tmethods\tback\twide\tsentences\tlong\t\n")
	var sum figures
	var over []string
	for _, p := range list {
		if len(p.Errors) > 0 {
			log.Fatal(p.Errors[0])
		}
		f := measure(p)
		f.row(w, p.PkgPath)
		over = append(over, f.over(p.PkgPath)...)
		sum.add(f)
	}
	sum.row(w, "sum")
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	if *verbose {
		slices.Sort(sum.details)
		fmt.Println(strings.Join(sum.details, "\n"))
	}
	over = append(over, sum.overAll()...)
	if *limits && len(over) > 0 {
		log.Fatal("over the limits:\n\t" + strings.Join(over, "\n\t"))
	}
}

// dirOf is the directory in which the patterns, which name directories of one module, are packages.
func dirOf(args []string) string {
	if len(args) == 0 {
		return "."
	}
	dir := strings.TrimSuffix(args[0], "/...")
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	return dir
}

// patterns are the arguments as patterns of that directory.
func patterns(args []string) []string {
	if len(args) == 0 {
		return []string{"./..."}
	}
	out := make([]string, 0, len(args))
	for _, a := range args {
		rel, err := filepath.Rel(dirOf(args), a)
		if err != nil {
			log.Fatal(err)
		}
		out = append(out, "./"+filepath.ToSlash(rel))
	}
	return out
}

// figures are those of a package, or of several.
type figures struct {
	functions, long   int
	methods           int            // of the type that has most
	large             map[string]int // types with too many methods, and how many
	references, back  int
	wide              int
	sentences, longer int
	details           []string
}

func (f *figures) add(g figures) {
	f.functions += g.functions
	f.long += g.long
	f.methods = max(f.methods, g.methods)
	f.references += g.references
	f.back += g.back
	f.wide += g.wide
	f.sentences += g.sentences
	f.longer += g.longer
	f.details = append(f.details, g.details...)
}

func (f *figures) note(format string, args ...any) {
	f.details = append(f.details, fmt.Sprintf(format, args...))
}

func (f *figures) row(w *tabwriter.Writer, name string) {
	fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%s\t%d\t%d\t%s\t\n", name, f.functions, share(f.long, f.functions), f.methods,
		share(f.back, f.references), f.wide, f.sentences, share(f.longer, f.sentences))
}

// over lists the limits that a package is over.
func (f *figures) over(path string) []string {
	var out []string
	for _, t := range slices.Sorted(maps.Keys(f.large)) {
		out = append(out, fmt.Sprintf("%s: type %s has %d methods", path, t, f.large[t]))
	}
	if float64(f.back) >= mostBack*float64(max(1, f.references)) {
		out = append(out, fmt.Sprintf("%s: %s of the references point back", path, share(f.back, f.references)))
	}
	if f.wide > 0 {
		out = append(out, fmt.Sprintf("%s: %d comment lines of more than %d columns", path, f.wide, wideComment))
	}
	return out
}

// overAll lists the limits that all packages together are over.
func (f *figures) overAll() []string {
	var out []string
	if float64(f.long) >= mostLong*float64(max(1, f.functions)) {
		out = append(out, fmt.Sprintf("%d of %d functions have more than %d lines", f.long, f.functions, longFunction))
	}
	if float64(f.longer) >= mostLonger*float64(max(1, f.sentences)) {
		out = append(out, fmt.Sprintf("%d of %d sentences have more than %d words", f.longer, f.sentences, longSentence))
	}
	return out
}

func share(n, of int) string { return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(max(1, of))) }

func measure(p *packages.Package) figures {
	f := figures{large: map[string]int{}}
	methods := map[string]int{}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			f.functions++
			if n := lines(p.Fset, fn); n > longFunction {
				f.long++
				f.note("%s: function %s has %d lines", p.PkgPath, fn.Name.Name, n)
			}
			if fn.Recv != nil {
				methods[receiver(fn)]++
			}
		}
		f.doc(p, file)
	}
	for t, n := range methods {
		f.methods = max(f.methods, n)
		if n > manyMethods {
			f.note("%s: type %s has %d methods", p.PkgPath, t, n)
			f.large[p.Name+"."+t] = n
		}
	}
	f.files(p)
	f.comments(p)
	return f
}

func lines(fset *token.FileSet, n ast.Node) int {
	return fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1
}

// receiver is the name of the type that a method is of.
func receiver(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}

// files counts the references from one file of the package to another.
func (f *figures) files(p *packages.Package) {
	type pair struct{ from, to string }
	count := map[pair]int{}
	names := map[string]bool{}
	for id, obj := range p.TypesInfo.Uses {
		if obj.Pkg() != p.Types || !obj.Pos().IsValid() || local(obj) {
			continue
		}
		from, to := p.Fset.Position(id.Pos()).Filename, p.Fset.Position(obj.Pos()).Filename
		names[from], names[to] = true, true
		if from != to {
			count[pair{from, to}]++
			f.references++
		}
	}
	order := slices.Sorted(maps.Keys(names))
	weight := func(a, b string) int { return count[pair{a, b}] }
	order = arrange(order, weight)
	at := map[string]int{}
	for i, name := range order {
		at[name] = i
	}
	for q, n := range count {
		if at[q.from] > at[q.to] {
			f.back += n
			f.note("%s: %d references from %s back to %s", p.PkgPath, n, filepath.Base(q.from), filepath.Base(q.to))
		}
	}
	var short []string
	for _, name := range order {
		short = append(short, filepath.Base(name))
	}
	if len(order) > 1 {
		f.note("%s: files in order: %s", p.PkgPath, strings.Join(short, " "))
	}
}

// local reports whether an object belongs to a function, or is a field or method: these go with
// their types.
func local(obj types.Object) bool {
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		return false
	}
	if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
		return false
	}
	return obj.Parent() != obj.Pkg().Scope()
}

// arrange puts files in an order in which few references point backwards: those that refer to
// others stand in front. It moves single files while that helps.
func arrange(list []string, weight func(a, b string) int) []string {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b string) int {
		net := func(x string) (n int) {
			for _, y := range list {
				n += weight(x, y) - weight(y, x)
			}
			return n
		}
		return cmp.Compare(net(b), net(a))
	})
	for better := true; better; {
		better = false
		for i := range out {
			best, to, gain := 0, i, 0
			for j := i - 1; j >= 0; j-- { // in front of j
				if gain += weight(out[i], out[j]) - weight(out[j], out[i]); gain > best {
					best, to = gain, j
				}
			}
			gain = 0
			for j := i + 1; j < len(out); j++ { // behind j
				if gain += weight(out[j], out[i]) - weight(out[i], out[j]); gain > best {
					best, to = gain, j
				}
			}
			if to != i {
				x := out[i]
				out = slices.Insert(slices.Delete(out, i, i+1), to, x)
				better = true
			}
		}
	}
	return out
}

// comments counts the wide lines of comments of all Go files of the package's directory.
func (f *figures) comments(p *packages.Package) {
	if len(p.GoFiles) == 0 {
		return
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(p.GoFiles[0]), "*.go"))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		lines := strings.Split(string(src), "\n")
		for at, text := range commentsOf(src) {
			line := strings.ReplaceAll(lines[at-1], "\t", "    ")
			if n := utf8.RuneCountInString(line); n > wideComment && !table(text) && !strings.Contains(text, "://") {
				f.wide++
				f.note("%s:%d: comment of %d columns", name, at, n)
			}
		}
	}
}

// table reports whether the text of a comment is a line of a table or a drawing.
func table(text string) bool {
	t := strings.TrimSpace(strings.TrimPrefix(text, "//"))
	return strings.Contains(t, "  ") || strings.Contains(t, "\t") || strings.Contains(t, "|")
}

// commentsOf returns the line comments of a source by line.
func commentsOf(src []byte) map[int]string {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	found := map[int]string{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.COMMENT && strings.HasPrefix(text, "//") {
			found[fset.Position(pos).Line] = text
		}
	}
}

// doc counts the sentences of a file's package doc.
func (f *figures) doc(p *packages.Package, file *ast.File) {
	if file.Doc == nil {
		return
	}
	for _, s := range sentences(file.Doc.Text()) {
		f.sentences++
		if n := len(strings.Fields(s)); n > longSentence {
			f.longer++
			f.note("%s: sentence of %d words: %.60s...", p.PkgPath, n, strings.Join(strings.Fields(s), " "))
		}
	}
}

// sentences splits the prose of a doc. Lines that are indented are tables and drawings, unless
// they begin a list.
func sentences(text string) []string {
	var out []string
	for _, para := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(para, "\t") || strings.HasPrefix(para, "#") {
			continue
		}
		rest := strings.Join(strings.Fields(para), " ")
		for _, end := range []string{". ", "; ", ": ", "? "} {
			rest = strings.ReplaceAll(rest, end, end[:1]+"\x00")
		}
		for s := range strings.SplitSeq(rest, "\x00") {
			if strings.TrimSpace(s) != "" {
				out = append(out, s)
			}
		}
	}
	return out
}
