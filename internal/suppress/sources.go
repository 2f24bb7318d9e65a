package suppress

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/static/ignore"
	"github.com/presage-race/presage/internal/static/revision"
)

// sources are the Go files of the user, as they are now.
type sources struct {
	roots    []string // of the module, and of the workspace
	files    map[string]*source
	also     *ignore.Set // of the static lens, whose comments are marked as used; nil: none
	problems []string
}

// source is one file.
type source struct {
	data     []byte
	lines    []string
	comments *ignore.Set
	parsed   bool
	funcs    []revision.Span // of the declarations of functions, if it is parsed
}

// maxSource bounds the size of a file.
const maxSource = 16 << 20

func newSources(dir string) (*sources, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	s := &sources{files: map[string]*source{}}
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range []string{"go.mod", "go.work"} {
			if st, err := os.Stat(filepath.Join(at, name)); err == nil && st.Mode().IsRegular() && (name == "go.work" || len(s.roots) == 0) {
				s.roots = append(s.roots, at)
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if len(s.roots) == 0 {
		s.roots = []string{dir}
	}
	return s, nil
}

// own reports whether a file is the user's.
func (s *sources) own(name string) bool {
	if !filepath.IsAbs(name) || !strings.HasSuffix(name, ".go") {
		return false
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(s.roots, func(root string) bool {
		rel, err := filepath.Rel(root, real)
		return err == nil && filepath.IsLocal(rel) && !slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "vendor")
	})
}

// below is the name of a file from the root of its module; of another file, its name.
func (s *sources) below(name string) string {
	for _, root := range s.roots {
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsAbs(name) && filepath.IsLocal(rel) {
			return rel
		}
	}
	return name
}

// file reads a file of the user; nil if it is none.
func (s *sources) file(name string) *source {
	f, ok := s.files[name]
	if !ok {
		f = s.read(name)
		s.files[name] = f
	}
	return f
}

func (s *sources) read(name string) *source {
	if !s.own(name) {
		return nil
	}
	data, err := regular(name)
	if err != nil {
		return nil
	}
	f := &source{data: data, lines: strings.Split(string(data), "\n")}
	if f.comments, err = ignore.Read([]string{name}); err != nil {
		return nil
	}
	for _, e := range f.comments.Errors {
		s.problems = append(s.problems, e.String())
	}
	return f
}

// regular reads a regular file of a bounded size.
func regular(name string) ([]byte, error) {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular() || st.Size() > maxSource:
		return nil, errors.New(name + " is large, or no regular file")
	}
	return os.ReadFile(name)
}

// mentions reads a file for wrong comments, and keeps nothing of it if there is no comment.
func (s *sources) mentions(name string) {
	if s.files[name] != nil || !s.own(name) {
		return
	}
	if data, err := regular(name); err == nil && bytes.Contains(data, []byte(ignore.Prefix)) {
		s.file(name)
	}
}

// around is the declaration of a function that has a line, or the line alone.
func (f *source) around(line int) revision.Span {
	if !f.parsed {
		f.parsed = true
		fset := token.NewFileSet()
		if tree, err := parser.ParseFile(fset, "", f.data, parser.SkipObjectResolution); err == nil {
			for _, d := range tree.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					f.funcs = append(f.funcs, revision.Span{First: fset.PositionFor(fn.Pos(), false).Line, Last: fset.PositionFor(fn.End(), false).Line})
				}
			}
		}
	}
	for _, fn := range f.funcs {
		if fn.First <= line && line <= fn.Last {
			return fn
		}
	}
	return revision.Span{First: line, Last: line}
}

// recorded returns the file of an access if the line of the access is the one that was recorded,
// apart from a comment.
func (s *sources) recorded(a *report.Access) *source {
	if a.Line < 1 || a.Source == "" {
		return nil
	}
	f := s.file(a.File)
	if f == nil || a.Line > len(f.lines) || bare(f.lines[a.Line-1]) != bare(a.Source) {
		return nil
	}
	return f
}

// bare is a line without its directive.
func bare(line string) string {
	line, _, _ = strings.Cut(line, "//presage:ignore")
	return strings.TrimSpace(line)
}

// comment returns the comment that suppresses a race; nil if there is none. All comments at
// its accesses are used.
func (s *sources) comment(r *report.Race) (found *ignore.Directive) {
	for _, a := range []*report.Access{&r.A, &r.B} {
		f := s.recorded(a)
		if f == nil {
			continue
		}
		if s.also != nil {
			s.also.Covers(a.File, a.Line)
		}
		if d := f.comments.At(a.File, a.Line); d != nil && found == nil {
			found = d
		}
	}
	return found
}

// changed reports whether a race is new since a revision.
func (s *sources) changed(r *report.Race, c *revision.Changes) bool {
	for _, a := range []*report.Access{&r.A, &r.B} {
		f := s.recorded(a)
		at := a.Position
		if f == nil && s.outside(a) { // the user's call that leads there
			i := slices.IndexFunc(a.Stack, func(fr report.Frame) bool { return s.file(fr.File) != nil })
			if i < 0 {
				continue
			}
			at = a.Stack[i].Position
			f = s.file(at.File)
		}
		if f == nil {
			return true
		}
		span := f.around(at.Line)
		if c.In(at.File, span.First, span.Last) {
			return true
		}
	}
	return false
}

// outside reports whether an access is in a file that exists and is not the user's: of the standard
// library or a dependency.
func (s *sources) outside(a *report.Access) bool {
	_, err := os.Stat(a.File)
	return err == nil && !s.own(a.File)
}

// problemsOf are the comments that are wrong, with their positions.
func (s *sources) problemsOf() []string {
	out := slices.Clone(s.problems)
	slices.Sort(out)
	return slices.Compact(out)
}
