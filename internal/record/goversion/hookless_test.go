package goversion

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// stdPackage is a package of the standard library as go list describes it.
type stdPackage struct {
	ImportPath, Dir           string
	GoFiles, CgoFiles, SFiles []string
}

// stdPackages lists the standard library for a processor, with or without the race detector's build
// tag.
func stdPackages(t *testing.T, arch string, flags ...string) map[string]stdPackage {
	t.Helper()
	args := slices.Concat([]string{"list", "-json=ImportPath,Dir,GoFiles,CgoFiles,SFiles"}, flags, []string{"std"})
	cmd := exec.Command("go", args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=", "GOOS="+OS, "GOARCH="+arch)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list std: %v", err)
	}
	list := map[string]stdPackage{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p stdPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list[p.ImportPath] = p
	}
}

// installed returns GOROOT and the version of the installed Go, as patches know it.
func installed(t *testing.T) (root, version string) {
	t.Helper()
	cmd := exec.Command("go", "env", "GOROOT", "GOVERSION")
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	root, version, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return root, Language(version)
}

// unhookedPackages reads from the compiler's table which packages get no access hooks.
func unhookedPackages(t *testing.T, root string) map[string]bool {
	t.Helper()
	file := filepath.Join(root, "src/cmd/internal/objabi/pkgspecial.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string][]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
			for _, e := range lit.Elts {
				if b, ok := e.(*ast.BasicLit); ok {
					s, _ := strconv.Unquote(b.Value)
					lists[v.Names[0].Name] = append(lists[v.Names[0].Name], s)
				}
			}
		}
		return true
	})
	list := map[string]bool{}
	for _, name := range []string{"runtimePkgs", "extraNoInstrumentPkgs", "noRaceFuncPkgs"} {
		if len(lists[name]) == 0 {
			t.Fatalf("%s has no list %s", file, name)
		}
		for _, p := range lists[name] {
			if q, not := strings.CutPrefix(p, "-"); not {
				delete(list, q)
			} else {
				list[p] = true
			}
		}
	}
	return list
}

// hookless lists the code of the standard library that has no access hooks, for a processor.
func hookless(t *testing.T, arch string) map[string]bool {
	t.Helper()
	root, _ := installed(t)
	plain, race := stdPackages(t, arch), stdPackages(t, arch, "-race")
	unhooked := unhookedPackages(t, root)
	list := map[string]bool{}
	for name, p := range plain {
		if !slices.Equal(p.GoFiles, race[name].GoFiles) {
			for _, file := range p.GoFiles {
				if !slices.Contains(race[name].GoFiles, file) {
					list["race "+name+"/"+file] = true
				}
			}
			for _, file := range race[name].GoFiles {
				if !slices.Contains(p.GoFiles, file) {
					list["race "+name+"/"+file] = true
				}
			}
		}
		if unhooked[name] {
			list["package "+name] = true
			continue
		}
		if len(p.CgoFiles) > 0 {
			list["cgo "+name] = true
		}
		maps.Copy(list, p.functions(t))
	}
	return list
}

var asmText = regexp.MustCompile(`(?m)^\s*TEXT\s+(?:[\w∕]+)?·(\w+)`)

// functions lists the functions of a package that have no hooks.
func (p stdPackage) functions(t *testing.T) map[string]bool {
	asm := map[string]bool{}
	for _, file := range p.SFiles {
		src, err := os.ReadFile(filepath.Join(p.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asmText.FindAllSubmatch(src, -1) {
			asm[string(m[1])] = true
		}
	}
	list := map[string]bool{}
	for _, file := range slices.Concat(p.GoFiles, p.CgoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := p.ImportPath + "." + fn.Name.Name
			if fn.Recv != nil {
				name = p.ImportPath + "." + receiver(fn) + "." + fn.Name.Name
			}
			switch {
			case fn.Body == nil && asm[fn.Name.Name]:
				list["asm "+name] = true
			case fn.Body == nil:
				list["linkname "+name] = true
			case directive(fn.Doc, "//go:norace"):
				list["norace "+name] = true
			}
		}
	}
	return list
}

func receiver(fn *ast.FuncDecl) string {
	x := fn.Recv.List[0].Type
	if s, ok := x.(*ast.StarExpr); ok {
		x = s.X
	}
	if id, ok := x.(*ast.Ident); ok {
		return id.Name
	}
	return "?"
}

func directive(doc *ast.CommentGroup, name string) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return c.Text == name })
}

// A tableLine is a line of a table that is compared with GOROOT.
type tableLine struct {
	number          int
	text            string
	kind            string
	pattern         *regexp.Regexp
	treatment, note string
}

// readTable reads a table: the lines that are of this version of Go.
func readTable(t *testing.T, file, version string, treatments ...string) []tableLine {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var table []tableLine
	for i, text := range strings.Split(string(src), "\n") {
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		rest := text
		if strings.HasPrefix(text, "since ") || strings.HasPrefix(text, "until ") {
			head, line, _ := strings.Cut(text, ":")
			_, span, err := cutSpan(strings.Fields(head))
			if err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			if !span.contains(version) {
				continue
			}
			rest = line
		}
		f := strings.Fields(rest)
		if len(f) < 3 || !slices.Contains(treatments, f[2]) {
			t.Fatalf("%s:%d: not KIND PATTERN TREATMENT DETAIL, treatment one of %v:\n%s", file, i+1, treatments, text)
		}
		p := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(f[1]), `\*`, ".*") + "$")
		table = append(table, tableLine{i + 1, text, f[0], p, f[2], strings.Join(f[3:], " ")})
	}
	return table
}

// holdTable compares code, each with its kind in front, with a table.
func holdTable(t *testing.T, file string, table []tableLine, code map[string]bool) {
	t.Helper()
	used := map[int]bool{}
	for _, x := range slices.Sorted(maps.Keys(code)) {
		kind, name, _ := strings.Cut(x, " ")
		i := slices.IndexFunc(table, func(l tableLine) bool { return l.kind == kind && l.pattern.MatchString(name) })
		if i < 0 {
			t.Errorf("%s has no line for %s: decide what stands for it", file, x)
			continue
		}
		used[i] = true
	}
	for i, l := range table {
		if !used[i] {
			t.Errorf("%s:%d: GOROOT has nothing like this, or an earlier line has it all:\n%s", file, l.number, l.text)
		}
	}
}

func TestHookless(t *testing.T) {
	const file = "tables/hookless.txt"
	_, version := installed(t)
	table := readTable(t, file, version, "operation", "arguments", "hooked", "none", "barrier")
	for _, l := range table {
		if l.treatment == "arguments" && !strings.Contains(l.note, "recorded") && !strings.Contains(l.note, "do not change") {
			t.Errorf("%s:%d: says not whether the accesses are recorded:\n%s", file, l.number, l.text)
		}
	}
	code := map[string]bool{}
	for _, arch := range Archs {
		maps.Copy(code, hookless(t, arch))
	}
	holdTable(t, file, table, code)
}

// TestUnhooked compares the packages that get no -l, because the compiler gives them no hooks, with
// the compiler's list.
func TestUnhooked(t *testing.T) {
	root, _ := installed(t)
	list := unhookedPackages(t, root)
	// setFlags of package recorder names them
	list["sync"], list["internal/sync"], list["sync/atomic"] = false, false, false
	// hooks, but no values to lose
	list["internal/bytealg"] = true
	for p, in := range list {
		if in && !Unhooked(p) && !strings.HasPrefix(p, "runtime/") {
			t.Errorf("%s is compiled with -l, but has no hooks to keep", p)
		}
	}
	for _, p := range words("unhooked", "") {
		dir := filepath.Join(root, "src", p)
		if _, err := os.Stat(dir); err == nil && !list[p] && !slices.Contains([]string{"internal/asan", "internal/msan", "internal/race"}, p) {
			t.Errorf("%s has hooks, which are lost where emitted code inlines its functions: compile it with -l", p)
		}
	}
}

var raceCall = regexp.MustCompile(`^race[a-z]`)

// raceUses lists what the standard library says to the race detector: "use FILE:FUNCTION=CALLS",
// with how often a call is there if it is more than once.
func raceUses(t *testing.T) map[string]bool {
	t.Helper()
	root, _ := installed(t)
	list := map[string]bool{}
	for name, p := range stdPackages(t, Archs[0]) {
		if name == "internal/race" {
			continue
		}
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles) {
			if name == "runtime" && file == "race0.go" {
				continue
			}
			file := filepath.Join(p.Dir, file)
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			imports := slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"internal/race"` })
			if name != "runtime" && !imports {
				continue
			}
			rel, _ := filepath.Rel(filepath.Join(root, "src"), file)
			for _, d := range f.Decls {
				where := "variables"
				if fn, ok := d.(*ast.FuncDecl); ok {
					where = fn.Name.Name
					if fn.Recv != nil {
						where = receiver(fn) + "." + where
					}
				}
				if calls := raceCalls(d, imports); calls != "" {
					list["use "+rel+":"+where+"="+calls] = true
				}
			}
		}
	}
	return list
}

// raceCalls lists the calls of a declaration, sorted; imports: those of package internal/race, else
// the runtime's own.
func raceCalls(d ast.Decl, imports bool) string {
	n := map[string]int{}
	ast.Inspect(d, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok && imports && id.Name == "race" {
				n[x.Sel.Name]++
			}
		case *ast.CallExpr:
			if id, ok := x.Fun.(*ast.Ident); ok && !imports && (raceCall.MatchString(id.Name) || strings.HasPrefix(id.Name, "raceRead") || strings.HasPrefix(id.Name, "raceWrite")) {
				n[id.Name]++
			}
		case *ast.Ident:
			if x.Name == "raceenabled" && !imports {
				n[x.Name]++
			}
		}
		return true
	})
	var s []string
	for _, x := range slices.Sorted(maps.Keys(n)) {
		if n[x] > 1 {
			x += ":" + strconv.Itoa(n[x])
		}
		s = append(s, x)
	}
	return strings.Join(s, ",")
}

func TestRaceUses(t *testing.T) {
	const file = "tables/raceuses.txt"
	_, version := installed(t)
	table := readTable(t, file, version, "record", "check", "none")
	for _, l := range table {
		checked := slices.ContainsFunc(CheckedFiles(version), func(f string) bool { return l.pattern.MatchString(f + l.calls()) })
		if checked != (l.treatment == "check") {
			t.Errorf("%s:%d: lists.txt and the table disagree:\n%s", file, l.number, l.text)
		}
	}
	holdTable(t, file, table, raceUses(t))
}

// calls is what follows the name of the file in a line of uses.
func (l tableLine) calls() string {
	for _, f := range strings.Fields(l.text) {
		if file, calls, ok := strings.Cut(f, ".go:"); ok && file != "" {
			return ":" + calls
		}
	}
	return ""
}
