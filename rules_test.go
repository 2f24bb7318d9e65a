package presage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Rules have numbers, as (B6): a letter for the family, and a package has each family once. The doc
// of the package defines a rule, at the beginning of a comment line; code cites it. docs/rules.md
// lists them by package.

// ruleBook is what the Go files of one directory say of rules.
type ruleBook struct {
	defined map[string]token.Position
	cited   map[string]token.Position // outside of the comment that defines it
	foreign map[string]bool           // of another package, which is named: "barrier B6"
}

var (
	definition  = regexp.MustCompile(`^//\s*(?:- )?\([A-Z]\d+\) `)
	definitions = regexp.MustCompile(`(?:^//\s*(?:- )?|[.;] )\(([A-Z]\d+)\) `)
	citation    = regexp.MustCompile(`\b[A-Z]\d+\b`)
	ofPackage   = regexp.MustCompile(`^(?:(?:,| and| or| to|\)|;)* \(?[A-Z]\d+)*\)? (?:of|in) package ([a-z0-9/]+)`)
)

// borrowed are packages that a package does not import, and whose rules it goes by under their
// numbers.
var borrowed = map[string][]string{"record/recorder/online": {"detect/clock", "detect/fasttrack"}, "oracle/smt": {"model"}}

func readRules(t *testing.T, dir string) *ruleBook {
	t.Helper()
	b := &ruleBook{map[string]token.Position{}, map[string]token.Position{}, map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			here := map[string]bool{}
			var text []string
			for _, line := range group.List {
				pos := fset.Position(line.Pos())
				if pos.Column == 1 && definition.MatchString(line.Text) && !strings.HasSuffix(name, "_test.go") {
					for _, m := range definitions.FindAllStringSubmatch(line.Text, -1) {
						if was, twice := b.defined[m[1]]; twice {
							t.Errorf("%s: %s is defined at %s", pos, m[1], was)
						}
						b.defined[m[1]], here[m[1]] = pos, true
					}
				}
				text = append(text, strings.TrimSpace(strings.TrimPrefix(line.Text, "//")))
			}
			b.cite(strings.Join(text, " "), fset.Position(group.Pos()), here)
		}
		ast.Inspect(file, func(n ast.Node) bool { // rules are parts of errors
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && len(s) < 200 {
					b.cite(s, fset.Position(lit.Pos()), nil)
				}
			}
			return true
		})
	}
	return b
}

// cite notes what a text cites, but for the rules that are defined there.
func (b *ruleBook) cite(text string, pos token.Position, here map[string]bool) {
	for _, at := range citation.FindAllStringIndex(text, -1) {
		rule := text[at[0]:at[1]]
		if m := ofPackage.FindStringSubmatch(text[at[1]:]); m != nil {
			b.foreign[m[1]+" "+rule] = true
		} else if !here[rule] {
			b.cited[rule] = pos
		}
	}
}

// family reports whether rules with the letter of this one are the package's own.
func (b *ruleBook) family(rule string) bool {
	for r := range b.defined {
		if r[0] == rule[0] {
			return true
		}
	}
	return false
}

// readModel reads the rules of docs/theory/model.md that have numbers.
func readModel(t *testing.T) *ruleBook {
	b := &ruleBook{defined: map[string]token.Position{}}
	for n, line := range readLines(t, "docs/theory/model.md") {
		if m := regexp.MustCompile(`^- \((M\d+)\) `).FindStringSubmatch(line); m != nil {
			b.defined[m[1]] = token.Position{Filename: "docs/theory/model.md", Line: n + 1}
		}
	}
	return b
}

func readLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// sources are the books whose rules a package may cite by number alone: of what it imports,
// directly or not, and borrows.
func sources(name string) []string {
	out := []string{"model"}
	for next := slices.Clone(layers["internal/"+name]); len(next) > 0; next = next[1:] {
		if imp := strings.TrimPrefix(next[0], "internal/"); !slices.Contains(out, imp) {
			out = append(out, imp)
			next = append(next, layers[next[0]]...)
		}
	}
	return append(out, borrowed[name]...)
}

// citations are the rules of all books that some code cites, as "barrier B6". A rule that is cited
// and not defined is an error.
func citations(t *testing.T, books map[string]*ruleBook) map[string]bool {
	found := map[string]bool{}
	for name, b := range books {
		for which := range b.foreign {
			short, rule, _ := strings.Cut(which, " ")
			for other, o := range books {
				if _, ok := o.defined[rule]; ok && (other == short || strings.HasSuffix(other, "/"+short)) {
					found[other+" "+rule] = true
				}
			}
		}
		for rule, pos := range b.cited {
			if _, ok := b.defined[rule]; ok {
				found[name+" "+rule] = true
				continue
			}
			known := false
			for _, other := range sources(name) {
				if o := books[other]; o != nil {
					if _, ok := o.defined[rule]; ok {
						found[other+" "+rule], known = true, true
					}
				}
			}
			if !known && b.family(rule) {
				t.Errorf("%s cites %s, which package %s does not define", pos, rule, name)
			}
		}
	}
	return found
}

// span reads a list of rules: "B1–B14, D2", or "" and "–" for none.
func span(t *testing.T, text string) []string {
	var out []string
	for part := range strings.SplitSeq(strings.TrimSpace(text), ", ") {
		first, last, _ := strings.Cut(part, "–")
		if first == "" {
			continue
		}
		if last == "" {
			last = first
		}
		from, err1 := strconv.Atoi(first[1:])
		to, err2 := strconv.Atoi(last[1:])
		if err1 != nil || err2 != nil || first[0] != last[0] {
			t.Fatalf("%q is no list of rules", text)
		}
		for n := from; n <= to; n++ {
			out = append(out, first[:1]+strconv.Itoa(n))
		}
	}
	slices.Sort(out)
	return out
}

// TestRules compares docs/rules.md with the packages that define rules, and these with the code
// that cites them.
func TestRules(t *testing.T) {
	books := map[string]*ruleBook{"model": readModel(t)}
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" {
			return filepath.SkipDir
		}
		books[strings.TrimPrefix(filepath.ToSlash(path), "internal/")] = readRules(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := citations(t, books)

	listed := map[string]bool{}
	row := regexp.MustCompile(`^\| ([a-z0-9/]+) \|([^|]*)\|[^|]*\|([^|]*)\|$`)
	for _, line := range readLines(t, "docs/rules.md") {
		m := row.FindStringSubmatch(line)
		if m == nil || books[m[1]] == nil {
			continue
		}
		name := m[1]
		listed[name] = true
		defined := slices.Sorted(maps.Keys(books[name].defined))
		if want := span(t, m[2]); !slices.Equal(defined, want) {
			t.Errorf("docs/rules.md has other rules of package %s than its docs:\n%v\n%v", name, want, defined)
		}
		uncited := slices.DeleteFunc(defined, func(rule string) bool { return found[name+" "+rule] })
		if want := span(t, m[3]); !slices.Equal(uncited, want) {
			t.Errorf("docs/rules.md says that of package %s no code cites %v; it is %v", name, want, uncited)
		}
	}
	for name, b := range books {
		if len(b.defined) > 0 && !listed[name] {
			t.Errorf("docs/rules.md does not list package %s", name)
		}
	}
}
