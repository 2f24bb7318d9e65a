package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// unknownFile is the compiler's name for the file of a //line comment that names none. Where it
// joins names, that would be a name to join, and the name is empty.
const unknownFile = "??"

// lineName is the file name that a //line comment of the user's source gives to the text after it.
type lineName struct {
	comment *ast.Comment
	// as the compiler has it, where package go/token joins a relative name to the directory of the
	// source in any version
	file string
	// how the comment is written in an emitted file, if it is not as it was
	text string
}

// lineNames returns the file names of the //line comments of a file, in the order of the source.
// name is that of the file; joins is Config.JoinsLineNames.
func lineNames(fset *token.FileSet, file *ast.File, name string, joins bool) []lineName {
	var out []lineName
	last := name
	for _, group := range file.Comments {
		for _, c := range group.List {
			text, ok := lineDirective(fset, c)
			var rewritten string
			if !ok {
				continue
			}
			if to, column, ok := cutLine(text); ok {
				if to == "" && column {
					to = last
				} else if to == "" && !joins {
					to = unknownFile
				} else if to != "" && joins && !filepath.IsAbs(to) {
					joined := filepath.Join(filepath.Dir(name), to)
					rewritten = c.Text[:len("//line ")] + joined + c.Text[len("//line ")+len(to):]
					to = joined
				}
				last = to
				out = append(out, lineName{c, to, rewritten})
			}
		}
	}
	return out
}

// lineDirective returns the text of a comment after the word line. /*line may occur anywhere,
// //line only at the beginning of a line.
func lineDirective(fset *token.FileSet, c *ast.Comment) (string, bool) {
	if text, ok := strings.CutPrefix(c.Text, "/*line "); ok {
		return strings.TrimSuffix(text, "*/"), true
	}
	text, ok := strings.CutPrefix(c.Text, "//line ")
	return text, ok && fset.PositionFor(c.Pos(), false).Column == 1
}

// cutLine cuts :line or :line:column from a text, and reports whether there is a column, and
// whether it says a line at all.
func cutLine(text string) (name string, column, ok bool) {
	name, ok = cutNumber(text)
	if !ok {
		return "", false, false
	}
	if rest, ok := cutNumber(name); ok {
		return rest, true, true
	}
	return name, false, true
}

func cutNumber(text string) (string, bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", false
	}
	_, err := strconv.ParseUint(text[i+1:], 10, 0)
	return text[:i], err == nil
}

// lineComment returns a comment that gives the text after it a position.
func lineComment(file string, line, column int) string {
	before := ""
	if file == "" { // with a column alone, that would be the file of the comment before
		before = "/*line :1*/"
	}
	return fmt.Sprintf("%s/*line %s:%d:%d*/", before, file, line, column)
}

// position returns the file and line that the user's source, with its own //line comments, has at
// pos for the compiler.
func (f *fileEmitter) position(pos token.Pos) (file string, line int) {
	p := f.pkg.Fset.PositionFor(pos, true)
	file = f.name
	if n := sort.Search(len(f.lineNames), func(i int) bool { return f.lineNames[i].comment.End() > pos }); n > 0 {
		file = f.lineNames[n-1].file
	}
	return file, p.Line
}

// lineNameEdits returns edits that write absolute names into the //line comments that no other edit
// replaces.
func (f *fileEmitter) lineNameEdits(others []edit) (edits []edit) {
	for _, n := range f.lineNames {
		e := edit{f.offset(n.comment.Pos()), f.offset(n.comment.End()), n.text, nil}
		if n.text != "" && !slices.ContainsFunc(others, func(o edit) bool { return o.from < e.to && e.from < o.to }) {
			edits = append(edits, e)
		}
	}
	return edits
}
