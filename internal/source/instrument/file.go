package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
)

// fileEmitter makes the emitted text of one source file: its source with the units replaced, the
// imports adjusted, and helpers at the end.
type fileEmitter struct {
	pkg    *plan.Package
	plan   *plan.Plan
	file   *ast.File
	index  int // among the files of the package
	name   string
	source []byte

	lineNames []lineName        // of its //line comments
	imports   map[string]string // path to name, those the emitted text adds
	helpers   map[string]string // text to name

	imported map[string]*types.Package // by path, of the package: what its emitted files import
	aliases  aliases
	gates    bool // instead of records
	points   bool // calls before accesses as well
}

// edit replaces source[from:to].
type edit struct {
	from, to int
	text     string
	unit     *plan.Unit
}

// span is the extent of a unit in the emitted file.
type span struct {
	unit     *plan.Unit
	from, to int
}

// emitted is the result for one file. refused holds the units that could not be written as source.
type emitted struct {
	name    string
	source  []byte
	text    string
	spans   []span
	refused map[*plan.Unit]string
	changed bool
}

func (f *fileEmitter) offset(pos token.Pos) int {
	return f.pkg.Fset.File(pos).Offset(pos)
}

// emitFile emits the units of the file that are not opaque.
func (f *fileEmitter) emitFile(units []*plan.Unit) *emitted {
	out := &emitted{name: f.name, source: f.source, refused: map[*plan.Unit]string{}}
	replaced := map[ast.Node]bool{}
	var edits []edit
	for _, u := range units {
		if u.File != f.file || u.Opaque != "" {
			continue
		}
		text, why := f.emit(u)
		if why != "" {
			out.refused[u] = why
			continue
		}
		replaced[u.Node] = true
		edits = append(edits, edit{f.offset(u.Node.Pos()), f.offset(u.Node.End()), f.begin(u.Node) + text + f.resume(u.Node), u})
	}
	vars := f.variables()
	if len(edits) == 0 && len(vars) == 0 {
		out.text = string(f.source)
		return out
	}
	out.changed = true
	edits = append(edits, f.importEdits(replaced)...)
	edits = append(edits, f.languageVersion()...)
	edits = append(edits, f.lineNameEdits(edits)...)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	f.apply(edits, out)
	return out
}

// begin writes the comment that marks what follows as emitted.
func (f *fileEmitter) begin(n ast.Node) string {
	file, line := f.position(n.Pos())
	column := emittedColumn
	if _, ok := n.(*ast.FuncLit); ok {
		column = literalColumn(literalNumber{1, 1}, columnNatural)
	}
	return lineComment(file, line, column)
}

// resume writes the comment after which the rest of the original line follows.
func (f *fileEmitter) resume(n ast.Node) string {
	file, line := f.position(n.End())
	if _, ok := n.(*ast.FuncDecl); ok {
		return fmt.Sprintf("\n//line %s:%d\n", file, line)
	}
	return lineComment(file, line, f.pkg.Fset.PositionFor(n.End(), true).Column)
}

func (f *fileEmitter) apply(edits []edit, out *emitted) {
	var b strings.Builder
	last := 0
	for _, e := range edits {
		b.Write(f.source[last:e.from])
		if e.unit != nil {
			out.spans = append(out.spans, span{unit: e.unit, from: b.Len(), to: b.Len() + len(e.text)})
		}
		b.WriteString(e.text)
		last = e.to
	}
	b.Write(f.source[last:])
	// This is the real name, regardless of //line comments: the recorder takes the directory of the
	// package from it (pgEmits).
	line := f.pkg.Fset.PositionFor(f.file.FileEnd, false).Line
	fmt.Fprintf(&b, "\n//line %s:%d:%d\n", f.name, line, emittedColumn)
	fmt.Fprintf(&b, "\nvar _ = %s.Heap\nvar _ %s.Pointer\n", rtName, unsafeName)
	for _, text := range sortedKeys(f.helpers) {
		fmt.Fprintf(&b, "func %s%s\n", f.helpers[text], text)
	}
	out.text = b.String()
}

// languageVersion returns an edit that adds a build constraint if emitted text needs a newer
// language version than that of the file. It never raises the version to go1.22, because loop
// variables of units left as written would change. It does not raise the go directive of the
// module, because that also decides what the go command loads.
func (f *fileEmitter) languageVersion() []edit {
	const need, directive = "go1.21", "//go:build "
	v := f.file.GoVersion
	if v == "" {
		v = plan.Language(f.pkg.Package)
	}
	if v == "" || version.Compare(v, need) >= 0 {
		return nil
	}
	for _, group := range f.file.Comments {
		for _, c := range group.List {
			if c.Pos() > f.file.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			from := f.offset(c.Pos()) + len(directive)
			rest := strings.TrimRight(c.Text[len(directive):], "\r\n")
			text := need + " && (" + strings.TrimSpace(rest) + ")"
			return []edit{{from: from, to: from + len(rest), text: text}}
		}
	}
	start := 0
	if bytes.HasPrefix(f.source, []byte(byteOrderMark)) { // legal only at the start of a file
		start = len(byteOrderMark)
	}
	file, line := f.position(f.file.FileStart)
	text := fmt.Sprintf("%s%s\n\n//line %s:%d\n", directive, need, file, line)
	return []edit{{from: start, to: start, text: text}}
}

const byteOrderMark = "\ufeff"
