package golangci

import (
	"context"
	"fmt"
	"go/build"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/ignore"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/tier"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// module is the analysis of one module.
type module struct {
	root   string
	once   sync.Once
	err    error
	issues map[string][]issue // by file
	broken map[string]string  // by package path: why a package does not load whole
}

// issue is a warning, or a wrong directive, at a place in a file.
type issue struct {
	line, column int
	text         string
}

// run reports the issues in the files of one package.
func (l *linter) run(pass *analysis.Pass) (any, error) {
	if len(pass.Files) == 0 || pass.Pkg.Name() == "main" && strings.HasSuffix(pass.Pkg.Path(), ".test") {
		return nil, nil // the main package of a test is generated
	}
	m := l.module(rootOf(filepath.Dir(pass.Fset.File(pass.Files[0].FileStart).Name())))
	m.once.Do(func() { m.err = l.analyse(m) })
	if m.err != nil {
		return nil, m.err
	}
	// errors of types are issues of typecheck
	if text := m.broken[pass.Pkg.Path()]; text != "" && len(pass.TypeErrors) == 0 {
		pass.Reportf(pass.Files[0].Package, "%s", text)
	}
	for _, f := range pass.Files {
		file := pass.Fset.File(f.FileStart)
		for _, i := range m.issues[file.Name()] {
			pass.Report(analysis.Diagnostic{Pos: position(file, i.line, i.column), Message: i.text})
		}
	}
	return nil, nil
}

// position is a place in a file. If the file has changed since it was analysed, it may be another
// one.
func position(file *token.File, line, column int) token.Pos {
	line = min(max(line, 1), file.LineCount())
	return min(file.LineStart(line)+token.Pos(max(column, 1)-1), token.Pos(file.Base()+file.Size()))
}

func (l *linter) module(root string) *module {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.modules[root]
	if m == nil {
		m = &module{root: root, issues: map[string][]issue{}, broken: map[string]string{}}
		l.modules[root] = m
	}
	return m
}

// rootOf is the root of the module that a directory belongs to; the directory itself if there is
// none.
func rootOf(dir string) string {
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return up
		}
		if up == filepath.Dir(up) {
			return dir
		}
	}
}

// analyse does what presage vet ./... does in the root of the module.
func (l *linter) analyse(m *module) error {
	cache, err := private.CacheDir()
	if err != nil {
		return err
	}
	res, err := static.Run(context.Background(), static.Config{
		Config: load.Config{Dir: m.root, Patterns: []string{"./..."}, Tests: l.tests},
		// golangci-lint puts run.build-tags there
		Tags:  build.Default.BuildTags,
		Store: filepath.Join(cache, "vet"),
	})
	if err != nil {
		return fmt.Errorf("analysing the module in %s: %w", m.root, err)
	}
	set, err := ignore.Read(res.Files)
	if err != nil {
		return err
	}
	for _, e := range res.Errors {
		if e.Target {
			m.broken[e.Path] = visible.Sprintf("%s", e)
		}
	}
	for _, e := range set.Errors {
		m.add(e.Pos, visible.Sprintf("%s", e.Text))
	}
	for _, w := range res.Report(func(w *static.Warning) bool {
		return tier.Shows(l.tier, w.Tier) && !silenced(res, set, w) && !l.ignores(m, w, res.Sides(w))
	}) {
		m.warn(w, res.Sides(w), res.Files, l.both)
	}
	return nil
}

// warn makes an issue of a warning, at its first access that is in files, those of the module; or
// two issues, at both. If both accesses are in other modules, the issue is at a call that leads
// there, or in the first file.
func (m *module) warn(w *static.Warning, sides [2]static.Side, files []string, both bool) {
	a, b := &sides[0], &sides[1]
	switch {
	case slices.Contains(files, a.Pos.Filename):
		m.add(a.Pos, m.text(w, a, b, ""))
		if both && a.Pos != b.Pos && slices.Contains(files, b.Pos.Filename) {
			m.add(b.Pos, m.text(w, b, a, ""))
		}
		return
	case slices.Contains(files, b.Pos.Filename):
		m.add(b.Pos, m.text(w, b, a, ""))
		return
	}
	at := token.Position{Filename: files[0], Line: 1, Column: 1}
	calls := slices.Concat(a.Stack, b.Stack, a.Created, b.Created)
	if i := slices.IndexFunc(calls, func(f static.Frame) bool { return slices.Contains(files, f.Pos.Filename) }); i >= 0 {
		at = calls[i].Pos
	}
	m.add(at, m.text(w, a, b, " at "+m.place(a.Pos)))
}

func (m *module) add(p token.Position, text string) {
	m.issues[p.Filename] = append(m.issues[p.Filename], issue{p.Line, p.Column, text})
}

// silenced reports whether a directive stands at one of the accesses.
func silenced(res *static.Result, set *ignore.Set, w *static.Warning) bool {
	a, b := res.Position(w.A.Pos), res.Position(w.B.Pos)
	return set.Covers(a.Filename, a.Line) || set.Covers(b.Filename, b.Line)
}

// ignores reports whether a pattern of the settings matches a file (from the root of the module) or
// a function of an access, or the memory.
func (l *linter) ignores(m *module, w *static.Warning, sides [2]static.Side) bool {
	names := []string{w.Object()}
	for _, s := range sides {
		names = append(names, filepath.ToSlash(m.below(s.Pos.Filename)), s.Func, s.Expr)
	}
	for _, re := range l.ignore {
		if slices.ContainsFunc(names, re.MatchString) {
			return true
		}
	}
	return false
}

// below is a file as it is named in the module.
func (m *module) below(file string) string {
	if rest, ok := strings.CutPrefix(file, m.root+string(filepath.Separator)); ok {
		return rest
	}
	return file
}

// place is a position as it is written in the text of an issue.
func (m *module) place(p token.Position) string {
	return fmt.Sprintf("%s:%d:%d", m.below(p.Filename), p.Line, p.Column)
}

// text is a warning on one line, at its access a, or with the words where a is.
func (m *module) text(w *static.Warning, a, b *static.Side, where string) string {
	codes, more := "", ""
	if len(w.Codes) > 0 {
		codes = fmt.Sprintf(" (%s: %s)", w.Tier, strings.Join(w.Codes, ", "))
	}
	if w.Others > 0 {
		more = "; " + plural.Of(w.Others, "more pair") + " with one of the two"
	}
	return visible.Sprintf("%s of %s%s may race with %s at %s%s: %s, %s%s", a.Kind, a.Expr, where, b.Kind,
		m.place(b.Pos), codes, holding(a), holding(b), more)
}

// holding says where an access is, and which locks are held there.
func holding(s *static.Side) string {
	locks := make([]string, 0, len(s.Locks))
	for _, l := range s.Locks {
		if l.Mode == "rlock" {
			l.Name += " (read)"
		}
		locks = append(locks, l.Name)
	}
	if len(locks) == 0 {
		locks = []string{"no lock"}
	}
	return fmt.Sprintf("%s in %s holding %s", s.Kind, s.Func, strings.Join(locks, ", "))
}
