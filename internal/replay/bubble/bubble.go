package bubble

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Race is what a test is wanted of.
type Race struct {
	File     string // the file of the test that raced,
	Function string // and its name: TestX
	Name     string // of the new test
	A, B     Access

	Packages map[string]string // the names of packages, by the paths that the file imports

	// The module is older than Go 1.23, so that its timers are not those that a bubble needs.
	OldTimers bool
}

// An Access is one of the two accesses of a race.
type Access struct {
	Text  string  // for a comment: its place
	Calls []Place // its place and those of the calls that lead to it, the innermost first
}

// A Place is one in a source file. A column of 0 is not known.
type Place struct {
	File      string
	Line, Col int
}

// A Candidate is a test that may show a race.
type Candidate struct {
	Text  []byte
	lines []int // by line from the first one of the body: its line in the original file, 0: none
	first int   // the line of the body's first one
}

// LineOf returns where a line of the file of the test that raced is in the candidate; 0: it has no
// such line.
func (c *Candidate) LineOf(original int) int {
	if i := slices.Index(c.lines, original); i >= 0 && original > 0 {
		return c.first + i
	}
	return 0
}

// Candidates returns the tests that may show a race, the simplest one first. src is the content of
// its file. An error says why there is none.
func Candidates(r *Race, src []byte) ([]*Candidate, error) {
	b, err := parse(r, src)
	if err != nil {
		return nil, err
	}
	first, second := b.statement(&r.A), b.statement(&r.B)
	if first == nil && second == nil {
		return nil, fmt.Errorf("neither access is below a call in the body of %s", r.Function)
	}
	var out []*Candidate
	for _, d := range [][2]string{
		{"", ""},
		// behind what does not wait
		{"", "time.Millisecond"}, {"time.Millisecond", ""},
		// behind what waits for some time in the original test
		{"", "time.Minute"}, {"time.Minute", ""},
		// both behind what comes before them
		{"time.Minute", "2 * time.Minute"}, {"2 * time.Minute", "time.Minute"},
	} {
		var delays []delay
		for k, s := range []ast.Stmt{first, second} {
			if d[k] != "" && s != nil {
				delays = append(delays, delay{s, d[k], []*Access{&r.A, &r.B}[k]})
			}
		}
		switch n := len(delays); {
		case n == 0 && d != [2]string{}, n == 1 && d[0] != "" && d[1] != "":
			continue // one before a statement that is not there
		case first == second && d[1] != "":
			continue
		}
		c, err := b.with(delays)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// body is the body of the test that raced.
type body struct {
	race  *Race
	src   []byte
	fset  *token.FileSet
	file  *ast.File
	fn    *ast.FuncDecl
	param string // the name of its *testing.T

	drop map[int]bool // lines with a call of t.Parallel
	raw  map[int]bool // lines that begin within a string
}

func parse(r *Race, src []byte) (*body, error) {
	b := &body{race: r, src: src, fset: token.NewFileSet(), drop: map[int]bool{}, raw: map[int]bool{}}
	var err error
	if b.file, err = parser.ParseFile(b.fset, r.File, src, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	for _, d := range b.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == r.Function && fn.Body != nil {
			b.fn = fn
		}
	}
	if b.fn == nil {
		return nil, fmt.Errorf("%s has no function %s", r.File, r.Function)
	}
	if params := b.fn.Type.Params.List; len(params) != 1 || len(params[0].Names) != 1 || !strings.HasPrefix(r.Function, "Test") {
		return nil, fmt.Errorf("%s is not a test with a parameter", r.Function)
	}
	b.param = b.fn.Type.Params.List[0].Names[0].Name
	if b.line(b.fn.Body.Lbrace) == b.line(b.fn.Body.Rbrace) {
		return nil, fmt.Errorf("%s stands on one line", r.Function)
	}
	return b, b.look()
}

func (b *body) line(p token.Pos) int { return b.fset.Position(p).Line }

// look finds what cannot be in a bubble.
func (b *body) look() (err error) {
	ast.Inspect(b.fn, func(n ast.Node) bool {
		for _, id := range declared(n) {
			if id.Name == "time" || id.Name == "synctest" {
				err = fmt.Errorf("%s has a variable named %s", b.race.Function, id.Name)
			}
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == "synctest" {
				err = fmt.Errorf("%s uses package synctest itself", b.race.Function)
			}
		case *ast.BasicLit:
			for l := b.line(n.Pos()) + 1; l <= b.line(n.End()); l++ {
				b.raw[l] = true
			}
		case *ast.ExprStmt:
			if b.calls(n.X) == "Parallel" && b.alone(n) {
				b.drop[b.line(n.Pos())] = true
				return false
			}
		case *ast.CallExpr:
			if name := b.calls(n); name == "Run" || name == "Deadline" || name == "Parallel" {
				err = fmt.Errorf("%s calls t.%s, which cannot be in a bubble of testing/synctest", b.race.Function, name)
			}
		}
		return true
	})
	return err
}

func fields(list *ast.FieldList) []*ast.Field {
	if list == nil {
		return nil
	}
	return slices.Clip(list.List)
}

// declared returns the names that a node declares itself.
func declared(n ast.Node) (names []*ast.Ident) {
	var list []ast.Expr
	switch n := n.(type) {
	case *ast.FuncType: // not the fields of a struct, which hide nothing
		for _, f := range append(fields(n.Params), fields(n.Results)...) {
			names = append(names, f.Names...)
		}
		return names
	case *ast.ValueSpec:
		return n.Names
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.AssignStmt:
		list = n.Lhs
	case *ast.RangeStmt:
		list = []ast.Expr{n.Key, n.Value}
	}
	for _, x := range list { // in an assignment they may be older ones, which is as bad
		if id, ok := x.(*ast.Ident); ok {
			names = append(names, id)
		}
	}
	return names
}

// calls returns the method of the test's parameter that an expression calls, "" if it calls none.
func (b *body) calls(x ast.Expr) string {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if id, ok := sel.X.(*ast.Ident); !ok || id.Name != b.param {
		return ""
	}
	return sel.Sel.Name
}

// statement returns the innermost statement of a block that an access is in or below; nil: there is
// none in the body of the test.
func (b *body) statement(a *Access) (s ast.Stmt) {
	for _, p := range a.Calls {
		if p.File != b.race.File || p.Line <= b.line(b.fn.Body.Lbrace) || p.Line >= b.line(b.fn.Body.Rbrace) {
			continue
		}
		b.eachBlock(func(list []ast.Stmt) {
			for _, x := range list {
				if b.has(x, p) {
					s = x
				}
			}
		})
		return s
	}
	return nil
}

// eachBlock calls f for the statements of each block, the outer ones first.
func (b *body) eachBlock(f func(list []ast.Stmt)) {
	ast.Inspect(b.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			f(n.List)
		case *ast.CaseClause:
			f(n.Body)
		case *ast.CommClause:
			f(n.Body)
		}
		return true
	})
}

// has reports whether a place is within a statement.
func (b *body) has(s ast.Stmt, p Place) bool {
	from, to := b.fset.Position(s.Pos()), b.fset.Position(s.End())
	switch {
	case p.Line < from.Line || p.Line > to.Line:
		return false
	case p.Col == 0:
		return true
	case p.Line == from.Line && p.Col < from.Column:
		return false
	}
	return p.Line < to.Line || p.Col < to.Column
}

// A delay is a call of time.Sleep before a statement.
type delay struct {
	before ast.Stmt
	d      string // an expression
	of     *Access
}

// with returns the test with some delays.
func (b *body) with(delays []delay) (*Candidate, error) {
	c := &Candidate{}
	var s bytes.Buffer
	fmt.Fprintf(&s, "// %s is %s in a bubble of testing/synctest. There, time.Sleep\n// orders nothing. go test -race reports a data race.\n", b.race.Name, b.race.Function)
	fmt.Fprintf(&s, "func %s(%s *testing.T) {\n\tsynctest.Test(%[2]s, func(%[2]s *testing.T) {\n", b.race.Name, b.param)
	first, last := b.line(b.fn.Body.Lbrace)+1, b.line(b.fn.Body.Rbrace)-1
	lines := strings.Split(string(b.src), "\n")
	for l := first; l <= last; l++ {
		text := lines[l-1]
		if b.drop[l] {
			continue
		}
		// the last one of a line first
		on := slices.DeleteFunc(slices.Clone(delays), func(d delay) bool { return b.line(d.before.Pos()) != l })
		slices.SortFunc(on, func(x, y delay) int { return int(y.before.Pos() - x.before.Pos()) })
		for _, d := range on {
			text = b.delayed(c, &s, text, d)
		}
		if text != "" && !b.raw[l] {
			s.WriteByte('\t')
		}
		s.WriteString(text + "\n")
		c.lines = append(c.lines, l)
	}
	s.WriteString("\t})\n}\n")
	return c, c.finish(b, s.Bytes())
}

// head is what the new file begins with: the build constraints and the package of the original one,
// and the imports that the text of the new test uses.
func (b *body) head(text []byte) ([]byte, error) {
	var s bytes.Buffer
	for _, g := range b.file.Comments {
		for _, c := range g.List {
			if c.Pos() < b.file.Package && strings.HasPrefix(c.Text, "//go:build ") {
				s.WriteString(c.Text + "\n\n")
			}
		}
	}
	if b.race.OldTimers {
		s.WriteString("//go:debug asynctimerchan=0\n\n")
	}
	fmt.Fprintf(&s, "package %s\n\nimport (\n", b.file.Name.Name)
	uses, err := qualifiers(text)
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, im := range b.file.Imports {
		of, name := im.Path.Value, ""
		if im.Name != nil {
			name = im.Name.Name
		} else if unquoted, err := strconv.Unquote(of); err == nil {
			if name = b.race.Packages[unquoted]; name == "" {
				name = path.Base(unquoted)
			}
		}
		if !uses[name] && name != "." && name != "_" {
			continue
		}
		if im.Name != nil {
			of = name + " " + of
		}
		have[of] = true
		fmt.Fprintf(&s, "\t%s\n", of)
	}
	for _, name := range []string{"testing", "testing/synctest", "time"} {
		if of := strconv.Quote(name); uses[path.Base(name)] && !have[of] {
			fmt.Fprintf(&s, "\t%s\n", of)
		}
	}
	s.WriteString(")\n\n")
	return s.Bytes(), nil
}

// qualifiers returns the names that text, which is one function, selects from.
func qualifiers(text []byte) (uses map[string]bool, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", append([]byte("package p\n"), text...), parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the new test is no Go code: %w", err)
	}
	uses = map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				uses[id.Name] = true
			}
		}
		return true
	})
	return uses, nil
}

// alone reports whether a line has nothing but a statement.
func (b *body) alone(s ast.Stmt) bool {
	from, to := b.fset.Position(s.Pos()), b.fset.Position(s.End())
	line := strings.Split(string(b.src), "\n")[from.Line-1]
	return from.Line == to.Line && strings.TrimSpace(line) == line[from.Column-1:to.Column-1]
}

// delayed writes the call of time.Sleep before the line with a statement, or into it. It returns
// the line.
func (b *body) delayed(c *Candidate, s *bytes.Buffer, text string, d delay) string {
	at := b.fset.Position(d.before.Pos()).Column - 1
	call := "time.Sleep(" + d.d + ")"
	if indent := text[:at]; strings.TrimSpace(indent) == "" {
		fmt.Fprintf(s, "\t%s%s // before the access at %s\n", indent, call, d.of.Text)
		c.lines = append(c.lines, 0)
		return text
	}
	return text[:at] + call + "; " + text[at:]
}

// finish puts the head in front of the test, and finds the body again.
func (c *Candidate) finish(b *body, text []byte) error {
	head, err := b.head(text)
	if err != nil {
		return err
	}
	const mark = "\tsynctest.Test("
	out, err := format.Source(append(head, text...))
	if err != nil {
		return fmt.Errorf("the new test is no Go code: %w", err)
	}
	before, after, ok := bytes.Cut(out, []byte(mark))
	if !ok || bytes.Count(after, []byte("\n")) != len(c.lines)+3 {
		return errors.New("its file is not formatted by gofmt")
	}
	c.Text, c.first = out, bytes.Count(before, []byte("\n"))+2
	return nil
}
