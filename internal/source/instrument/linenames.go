package instrument

import (
	"go/ast"
	"go/token"
	"sort"
	"strconv"
	"strings"
)

// unknownFile is the compiler's name for the file of a //line comment that names none.
const unknownFile = "??"

// lineName is the file name that a //line comment of the user's source gives to the text after it.
type lineName struct {
	from token.Pos // the end of the comment
	// as it is written: the compiler keeps a relative name, where package go/token joins it to the
	// directory of the source
	file string
}

// lineNames returns the file names of the //line comments of a file, in the order of the source.
// name is that of the file.
func lineNames(fset *token.FileSet, file *ast.File, name string) []lineName {
	var out []lineName
	last := name
	for _, group := range file.Comments {
		for _, c := range group.List {
			text, ok := lineDirective(fset, c)
			if !ok {
				continue
			}
			if to, column, ok := cutLine(text); ok {
				if to == "" && column {
					to = last
				} else if to == "" {
					to = unknownFile
				}
				last = to
				out = append(out, lineName{c.End(), to})
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

// position returns the file and line that the user's source, with its own //line comments, has at
// pos for the compiler.
func (f *fileEmitter) position(pos token.Pos) (file string, line int) {
	p := f.pkg.Fset.PositionFor(pos, true)
	file = f.name
	if n := sort.Search(len(f.lineNames), func(i int) bool { return f.lineNames[i].from > pos }); n > 0 {
		file = f.lineNames[n-1].file
	}
	return file, p.Line
}
