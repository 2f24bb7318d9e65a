package known

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
)

//go:embed frozen.txt
var frozenTable string

// frozenRace is one block of frozen.txt.
type frozenRace struct {
	name, module, before, after string
	pkg, variable, kind, source string
	write, other                place
	half                        string // seen or unseen
}

// place is an access in the version before the fix: a file of the module, a line, and the
// declared function around it.
type place struct {
	file string
	line int
	fn   string // F or T.M
}

// halfOf is the rule of frozen.txt.
func halfOf(module, before string) string {
	sum := sha256.Sum256([]byte(module + " " + before))
	if sum[len(sum)-1]%2 == 1 {
		return "unseen"
	}
	return "seen"
}

// readFrozen parses the list. It fails on a block that is not complete, on a half that is not the
// rule's, on a name twice, and on a third race of a module.
func readFrozen(text string) ([]*frozenRace, error) {
	var out []*frozenRace
	names, modules := map[string]bool{}, map[string]int{}
	for _, block := range strings.Split(text, "\n\n") {
		fields := map[string]string{}
		for _, line := range strings.Split(block, "\n") {
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			key, rest, _ := strings.Cut(line, " ")
			rest = strings.TrimSpace(rest)
			if rest == "" || fields[key] != "" {
				return nil, fmt.Errorf("frozen.txt: empty or twice: %q", line)
			}
			fields[key] = rest
		}
		if len(fields) == 0 {
			continue
		}
		r := &frozenRace{name: fields["race"], pkg: fields["package"], variable: fields["variable"], kind: fields["kind"], source: fields["source"], half: fields["half"]}
		fail := func(what string) error { return fmt.Errorf("frozen.txt: race %q: %s", r.name, what) }
		mod := strings.Fields(fields["module"])
		if len(fields) != 9 || r.name == "" || r.pkg == "" || r.variable == "" || r.kind == "" || r.source == "" || len(mod) != 3 {
			return nil, fail("nine lines are wanted: race, module, package, write, other, variable, kind, source, half")
		}
		r.module, r.before, r.after = mod[0], mod[1], mod[2]
		var err error
		if r.write, err = readPlace(fields["write"]); err != nil {
			return nil, fail(err.Error())
		}
		if r.other, err = readPlace(fields["other"]); err != nil {
			return nil, fail(err.Error())
		}
		if half := halfOf(r.module, r.before); r.half != half {
			return nil, fail("by the rule the half is " + half)
		}
		if r.pkg != r.module && !strings.HasPrefix(r.pkg, r.module+"/") {
			return nil, fail("the package is not of the module")
		}
		if names[r.name] {
			return nil, fail("listed twice")
		}
		if modules[r.module]++; modules[r.module] > 2 {
			return nil, fail("a third race of " + r.module)
		}
		names[r.name] = true
		out = append(out, r)
	}
	return out, nil
}

func readPlace(s string) (p place, err error) {
	at, fn, _ := strings.Cut(s, " ")
	file, line, _ := strings.Cut(at, ":")
	p.file, p.fn = file, fn
	if p.line, err = strconv.Atoi(line); err != nil || fn == "" {
		return p, fmt.Errorf("file:line and a function are wanted: %q", s)
	}
	return p, nil
}

// moduleDir is the directory of a version in the cache of modules, or "" if it is not there.
func moduleDir(cache, path, version string) string {
	p, err := module.EscapePath(path)
	if err != nil {
		return ""
	}
	v, err := module.EscapeVersion(version)
	if err != nil {
		return ""
	}
	dir := filepath.Join(cache, p+"@"+v)
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// check compares a race with the files of its two versions: the variable is named on both lines,
// the functions are around them, and the fix changes one of the files at least.
func (r *frozenRace) check(before, after string) error {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(r.variable) + `\b`)
	changed := false
	for _, p := range []place{r.write, r.other} {
		text, err := os.ReadFile(filepath.Join(before, p.file))
		if err != nil {
			return err
		}
		lines := strings.Split(string(text), "\n")
		if p.line < 1 || p.line > len(lines) {
			return fmt.Errorf("%s has no line %d", p.file, p.line)
		}
		if !word.MatchString(lines[p.line-1]) {
			return fmt.Errorf("%s:%d does not name %s: %s", p.file, p.line, r.variable, strings.TrimSpace(lines[p.line-1]))
		}
		fn, err := funcAt(p.file, text, p.line)
		if err != nil {
			return err
		}
		if fn != p.fn {
			return fmt.Errorf("%s:%d is in %q, not in %q", p.file, p.line, fn, p.fn)
		}
		fixed, err := os.ReadFile(filepath.Join(after, p.file))
		if err != nil || string(fixed) != string(text) {
			changed = true // or the file is gone
		}
	}
	if !changed {
		return fmt.Errorf("%s and %s are the same in %s", r.write.file, r.other.file, r.after)
	}
	return nil
}

// funcAt names the declared function around a line.
func funcAt(file string, text []byte, line int) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || line < fset.Position(fn.Pos()).Line || line > fset.Position(fn.End()).Line {
			continue
		}
		if fn.Recv == nil {
			return fn.Name.Name, nil
		}
		return receiver(fn.Recv.List[0].Type) + "." + fn.Name.Name, nil
	}
	return "", nil
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// checkList checks the list in the cache of modules, into which it downloads the versions that are
// missing.
func checkList() int {
	races, err := readFrozen(frozenTable)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		fmt.Println(err)
		return 2
	}
	var wrong int
	var modules []string
	for _, r := range races {
		modules = append(modules, r.module)
		dirs := make([]string, 2)
		for i, version := range []string{r.before, r.after} {
			if dirs[i] = moduleDir(strings.TrimSpace(string(cache)), r.module, version); dirs[i] == "" {
				dirs[i], err = download(r.module, version)
				if err != nil {
					break
				}
			}
		}
		if err == nil {
			err = r.check(dirs[0], dirs[1])
		}
		if err != nil {
			fmt.Printf("%s: %v\n", r.name, err)
			wrong, err = wrong+1, nil
		}
	}
	slices.Sort(modules)
	fmt.Printf("%d races of %d modules, %d wrong\n", len(races), len(slices.Compact(modules)), wrong)
	if wrong > 0 {
		return 1
	}
	return 0
}

func download(path, version string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	var got struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &got); jsonErr != nil && err == nil {
		err = jsonErr
	}
	if got.Error != "" {
		return "", fmt.Errorf("%s", got.Error)
	}
	return got.Dir, err
}
