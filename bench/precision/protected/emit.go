package protected

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"time"
)

// form is one of the tests that a program becomes.
type form string

const (
	protected form = "protected" // x = 2 only if the store has happened
	twin      form = "twin"      // x = 2 in any case
	open      form = "open"      // the twin, and the second goroutine comes first
	early     form = "early"     // as open, and the third goroutine comes last
	apart     form = "apart"     // the twin, and each goroutine has objects of its own
)

const (
	firstMark  = "// the first write"
	secondMark = "// the second write"
)

// testName is the name of the test function of a form.
func (p *program) testName(f form) string {
	word := strings.NewReplacer("-", "_", "/", "_").Replace(p.id())
	return "Test_" + word + "_" + string(f)
}

// fileName is the name of the file that has a form.
func (p *program) fileName(f form) string {
	return strings.NewReplacer("/", "-", "_", "-").Replace(p.id()) + "-" + string(f) + "_test.go"
}

// emit returns the file of one form. The names of the package scope end with suffix.
func (p *program) emit(pkg, suffix string, f form, sleep time.Duration) ([]byte, error) {
	name := p.testName(f)
	body := strings.ReplaceAll(p.frame(name, f, sleep), "$ID", strings.TrimPrefix(name, "Test_"))
	fset := token.NewFileSet()
	head := "package " + pkg + "\n\n"
	file, err := parser.ParseFile(fset, p.fileName(f), head+body, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.id(), err)
	}
	rename(file, suffix)
	imports := findImports(file, p.text["import"])
	var out bytes.Buffer
	if err := format.Node(&out, fset, file); err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(out.String(), head)
	return format.Source([]byte(head + imports + text))
}

// separable reports whether a program has an apart form: its goroutines share nothing but what
// setup makes, and x.
func (p *program) separable() bool {
	return p.text["look"] != "" && p.text["racy"] == "" && p.text["shared"] == "" && !strings.Contains(p.String(), "$ID") &&
		!strings.HasPrefix(p.text["declare"], "var ") && !strings.Contains(p.text["declare"], "\nvar ")
}

// apartBody is the body of the test of the apart form.
func (p *program) apartBody(sleep time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "prepare := func() (first, second, end func()) {\n%s\n_ = func() {\n%s\n}\n", p.text["setup"], p.text["third"])
	fmt.Fprintf(&b, "return func() {\n%s}, func() {\n%s}, func() {\n%s\n}\n}\n", p.first(apart, sleep), p.second(apart, sleep), p.text["end"])
	b.WriteString("first, _, end1 := prepare()\n_, second, end2 := prepare()\n")
	goroutine(&b, "first()\n")
	goroutine(&b, "second()\n")
	b.WriteString("done.Wait()\nend2()\nend1()\nif x != 2 {\nt.Error(\"x = 2 was not executed\")\n}\n}\n")
	return b.String()
}

// frame returns the test without package clause and imports.
func (p *program) frame(name string, f form, sleep time.Duration) string {
	x := p.shared()
	var b strings.Builder
	if x == "x" {
		b.WriteString("var x int\n")
	}
	fmt.Fprintf(&b, "var mu sync.Mutex\n%s\n\nfunc %s(t *testing.T) {\n", p.text["declare"], name)
	b.WriteString("var done sync.WaitGroup\n")
	if f == apart {
		return b.String() + p.apartBody(sleep)
	}
	b.WriteString(p.text["setup"] + "\n")
	goroutine(&b, p.first(f, sleep))
	if p.text["third"] != "" {
		wait := sleep / 2
		if f == early {
			wait = 3 * sleep
		}
		goroutine(&b, pause(wait)+"mu.Lock()\n"+p.text["third"]+"\nmu.Unlock()\n")
	}
	goroutine(&b, p.second(f, sleep))
	fmt.Fprintf(&b, "done.Wait()\n%s\n", p.text["end"])
	if f == protected || f == twin {
		fmt.Fprintf(&b, "if %s != 2 {\nt.Error(\"x = 2 was not executed\")\n}\n", x)
	} else {
		fmt.Fprintf(&b, "_ = %s\n", x)
	}
	b.WriteString("}\n")
	return b.String()
}

func (p *program) shared() string {
	if x := p.text["shared"]; x != "" {
		return x
	}
	return "x"
}

func goroutine(b *strings.Builder, body string) {
	fmt.Fprintf(b, "done.Add(1)\ngo func() {\ndefer done.Done()\n%s}()\n", body)
}

func pause(d time.Duration) string {
	return fmt.Sprintf("time.Sleep(%d * time.Millisecond)\n", d.Milliseconds())
}

// first is what the first goroutine does.
func (p *program) first(f form, sleep time.Duration) string {
	s := p.shared() + " = 1 " + firstMark + "\n"
	if f == open || f == early {
		s += pause(2 * sleep)
	}
	if p.text["wait"] != "" {
		return s + "mu.Lock()\nmu.Unlock()\n" + p.text["store"] + "\n"
	}
	return s + "mu.Lock()\n" + p.text["store"] + "\nmu.Unlock()\n"
}

// second is what the second goroutine does.
func (p *program) second(f form, sleep time.Duration) string {
	write := p.shared() + " = 2 " + secondMark + "\n"
	s := ""
	if f == protected || f == twin || f == apart || f == open && p.text["third"] != "" {
		s = pause(sleep)
	}
	if wait := p.text["wait"]; wait != "" {
		s += "mu.Lock()\nmu.Unlock()\n"
		if f == protected {
			return s + wait + "\n" + write
		}
		return s + write + wait + "\n"
	}
	look, inside := p.look(f, write)
	s += "ok := false\nmu.Lock()\n" + look + "\nmu.Unlock()\n"
	switch {
	case f == protected && inside:
		return s + "_ = ok\n"
	case f == protected:
		return s + "if ok {\n" + write + "}\n"
	case f == twin || f == apart:
		return s + "_ = ok\n" + write
	}
	return s + "if ok {\nt.Error(\"ok before the store\")\n}\n" + write
}

// look returns the text of the look, and whether the protected form writes x inside it.
func (p *program) look(f form, write string) (text string, inside bool) {
	lines := strings.Split(p.text["look"], "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "second" {
			continue
		}
		inside = true
		switch f {
		case protected:
			lines[i] = strings.TrimSuffix(write, "\n")
		case twin, apart:
			lines[i] = ""
		default:
			lines[i] = "t.Error(\"second before the store\")"
		}
	}
	return strings.Join(lines, "\n"), inside
}

// rename gives the names of the package scope a suffix, so that many programs are one package.
func rename(file *ast.File, suffix string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Obj != nil && file.Scope.Objects[id.Name] == id.Obj && !strings.HasPrefix(id.Name, "Test") {
			defer func() { id.Name += suffix }() // after the look-up by name
		}
		return true
	})
}

// lines returns the lines of the two writes in a file.
func writeLines(text []byte) []int {
	var all []int
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, firstMark) || strings.HasSuffix(line, secondMark) {
			all = append(all, i+1)
		}
	}
	slices.Sort(all)
	return all
}
