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

// A rule is a numbered statement of a package doc, as "(WI3) ..." at the beginning of a line. Two
// letters name its package, so that a citation says whose rule it is. Only what some code, error or
// test cites is a rule; the rest of a package doc is prose.

// rulePrefixes are the letters of each package that has rules.
var rulePrefixes = map[string]string{
	"CL": "detect/clock", "FT": "detect/fasttrack", "HY": "detect/hybrid", "LS": "detect/lockset",
	"TR": "detect/tree", "MO": "predict/model", "PR": "predict", "WI": "predict/window",
	"EX": "predict/excluded", "EN": "predict/engine", "WA": "predict/walk", "AL": "predict/alternative",
	"TE": "predict/expr", "CW": "check/witness", "CP": "check/offpath", "EO": "source/evalorder",
	"PL": "source/plan", "IN": "source/instrument", "RE": "record", "ME": "record/merge",
	"RC": "record/recorder", "ON": "record/recorder/online", "RF": "record/recorder/rawfile",
	"OC": "online/compiler", "WC": "oracle/wcp", "PT": "oracle/progtest", "RP": "replay", "RT": "report",
	"ST": "static", "LI": "static/link", "SY": "static/symbolic", "BE": "static/evidence/before",
	"IS": "static/evidence/instance", "PA": "static/pairs", "RL": "static/lockset", "LO": "static/load",
	"SC": "record/recorder/_std/runtime", "AU": "record/recorder/_std/runtime",
	"TS": "trace/std", "CM": "cli", "HC": "host/cache", "UT": "untrusted/trust",
}

// mostRules is how many rules a reader is asked to look up.
const mostRules = 220

var (
	ruleLine   = regexp.MustCompile(`^(?://\s*)?(?:- )?\(([A-Z]{2}\d+)\) `)
	ruleNumber = regexp.MustCompile(`\b[A-Z]{2}\d+\b`)
	bareCite   = regexp.MustCompile(`^// ?\S.*\([A-Z]\d+\)`)
	bareRule   = regexp.MustCompile(`^//\s*(?:- )?\([A-Z]\d+\) `)
)

// ruleBook has where rules are defined, and where each is cited outside of the comment that defines
// it.
type ruleBook struct {
	defined, cited map[string]string
	onPages        map[string]string // cited by pages
}

// TestRules: each rule is defined once, by the package that its letters name, and cited; what is
// cited is defined.
func TestRules(t *testing.T) {
	b := ruleBook{map[string]string{}, map[string]string{}, map[string]string{}}
	for _, top := range []string{"internal", "docs", "bench", "cmd"} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case strings.HasSuffix(name, ".go"):
				b.readGo(t, filepath.ToSlash(name))
			case strings.HasSuffix(name, ".md"):
				b.readPage(t, filepath.ToSlash(name))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, cited := range []map[string]string{b.cited, b.onPages} {
		for rule, where := range cited {
			if b.defined[rule] == "" {
				t.Errorf("%s cites %s, which no package doc defines", where, rule)
			}
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(b.defined)) {
		if b.cited[rule] == "" {
			t.Errorf("%s: nothing cites %s: make it prose, or cite it where the code relies on it", b.defined[rule], rule)
		}
	}
	if len(b.defined) > mostRules {
		t.Errorf("%d rules; at most %d", len(b.defined), mostRules)
	}
	t.Logf("%d rules", len(b.defined))
}

// readPage reads a page of docs. The page of the model defines its rules. What a page cites has to
// be defined; that it is cited there alone does not make it a rule.
func (b *ruleBook) readPage(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(text), "\n") {
		pos := name + ":" + strconv.Itoa(n+1)
		b.read(t, line, pos, name == "docs/theory/model.md", "predict/model", nil)
	}
}

func (b *ruleBook) readGo(t *testing.T, name string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(name)), "internal/")
	defines := !strings.HasSuffix(name, "_test.go")
	for _, group := range file.Comments {
		here := map[string]bool{}
		for _, line := range group.List {
			pos := fset.Position(line.Pos())
			b.read(t, line.Text, pos.String(), defines && pos.Column == 1, dir, here)
			if bareRule.MatchString(line.Text) || bareCite.MatchString(line.Text) {
				t.Errorf("%s: a rule has the two letters of its package", pos)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool { // rules are parts of errors
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) < 200 {
			b.read(t, lit.Value, fset.Position(lit.Pos()).String(), false, dir, nil)
		}
		return true
	})
}

// read reads one line. Here are the rules that its comment has defined so far.
func (b *ruleBook) read(t *testing.T, line, pos string, defines bool, dir string, here map[string]bool) {
	if m := ruleLine.FindStringSubmatch(line); m != nil && defines {
		rule := m[1]
		switch {
		case rulePrefixes[rule[:2]] != dir:
			t.Errorf("%s: %s is no rule of package %s", pos, rule, dir)
		case b.defined[rule] != "":
			t.Errorf("%s: %s is defined at %s", pos, rule, b.defined[rule])
		}
		b.defined[rule] = pos
		if here != nil {
			here[rule] = true
		}
	}
	cited := b.cited
	if strings.Contains(pos, ".md:") {
		cited = b.onPages
	}
	for _, rule := range ruleNumber.FindAllString(line, -1) {
		if rulePrefixes[rule[:2]] != "" && !here[rule] {
			cited[rule] = pos
		}
	}
}
