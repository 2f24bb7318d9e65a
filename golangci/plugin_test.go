package golangci

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestMain gives all tests one directory of summaries, which is empty at first.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "golangci")
	if err != nil {
		panic(err)
	}
	os.Setenv("PRESAGE_CACHE", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func made(t *testing.T, conf any) *linter {
	t.Helper()
	p, err := New(conf)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*linter)
}

// TestIssues compares the issues of a module with its marks.
func TestIssues(t *testing.T) {
	list, err := made(t, nil).BuildAnalyzers()
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	analysistest.Run(t, "testdata/racy", list[0], "./...")
	if _, err := list[1].Run(nil); err != nil {
		t.Error(err)
	}
}

// TestSettings lists the issues under settings, by file and line.
func TestSettings(t *testing.T) {
	all := []string{"other.go:10", "other.go:13", "racy.go:22", "racy.go:24", "racy.go:24", "racy_test.go:11", "stats/stats.go:8"}
	for _, c := range []struct {
		name string
		conf any
		want []string
	}{
		{"none", nil, all},
		{"likely", map[string]any{"tier": "likely"}, all},
		{"without tests", map[string]any{"tests": false}, slices.Concat(all[:5], all[6:])},
		{"a file", map[string]any{"ignore": []string{`^stats/`}}, all[:6]},
		{"a function", map[string]any{"ignore": []string{`TestRun`}}, slices.Concat(all[:5], all[6:])},
		{"memory", map[string]any{"ignore": []string{`^s\.n$`, `^s\.k$`}}, slices.Concat(all[:2], all[3:4], all[5:])},
		{"both sides", map[string]any{"both-sides": true}, slices.Sorted(slices.Values(slices.Concat(all, []string{"racy.go:28", "racy.go:30", "racy_test.go:14"})))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, lines(t, c.conf)); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
	if got := lines(t, map[string]any{"tier": "all"}); len(got) <= len(all) {
		t.Errorf("all tiers have the issues %v, which are not more than the likely ones", got)
	}
}

// lines are the files and lines of all issues.
func lines(t *testing.T, conf any) (out []string) {
	t.Helper()
	root, err := filepath.Abs("testdata/racy")
	if err != nil {
		t.Fatal(err)
	}
	l := made(t, conf)
	m := l.module(root)
	if err := l.analyse(m); err != nil {
		t.Fatal(err)
	}
	if len(m.broken) > 0 {
		t.Error(m.broken)
	}
	for file, list := range m.issues {
		for _, i := range list {
			out = append(out, fmt.Sprintf("%s:%d", filepath.ToSlash(m.below(file)), i.line))
		}
	}
	slices.Sort(out)
	return out
}

// TestWrongSettings: what is wrong with settings is said when they are read.
func TestWrongSettings(t *testing.T) {
	for _, c := range []struct {
		conf any
		want string
	}{
		{map[string]any{"tier": "sure"}, `setting tier: "sure" is none of likely, possible, unlikely, all`},
		{map[string]any{"teir": "all"}, `unknown field "teir"`},
		{map[string]any{"tests": "no"}, "cannot unmarshal string"},
		{map[string]any{"ignore": []string{"("}}, "setting ignore: error parsing regexp"},
		{map[string]any{"ignore": []string{"x*"}}, `setting ignore: "x*" matches everything`},
	} {
		if _, err := New(c.conf); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("settings %v: %v, want %s", c.conf, err, c.want)
		}
	}
}

// TestBroken: a package that does not load whole is an issue, unless typecheck has one.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module m\n\ngo 1.25\n")
	write(t, dir, "a.go", "package m // want `package m is analysed only as far as it loads: .*undefined: F`\n\nvar x = F()\n")
	write(t, dir, "cgo.go", "package m\n\n/* int f(void) { return 1; } */\nimport \"C\"\n\nfunc F() int { return int(C.f()) }\n")
	list, err := made(t, nil).BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, dir, list[0], "./...")
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestDigest: the digest changes with everything that the issues of a module depend on, and with
// nothing else.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"m/go.mod":           "module m\n\ngo 1.25\n\nrequire (\n\tlib v0.0.0\n\tfar v1.0.0\n)\n\nreplace (\n\tlib => ../lib\n\tfar => other v1.0.0\n)\n",
		"m/a.go":             "package m\n",
		"m/b/b.go":           "package b\n",
		"m/nested/go.mod":    "module nested\n",
		"m/nested/n.go":      "package nested\n",
		"m/README":           "text",
		"lib/go.mod":         "module lib\n",
		"lib/l.go":           "package lib\n",
		"w/go.work":          "go 1.25\n\nuse (\n\t./one\n\t./two\n)\n",
		"w/one/go.mod":       "module one\n",
		"w/one/o.go":         "package one\n",
		"w/two/go.mod":       "module two\n",
		"w/two/t.go":         "package two\n",
		"w/three/go.mod":     "module three\n",
		"w/three/t.go":       "package three\n",
		"nowhere/nothing.go": "package nothing\n",
	} {
		write(t, dir, name, text)
	}
	t.Setenv("GOWORK", "")
	sum := func(of string) string {
		s, err := digest(filepath.Join(dir, of))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if sum("m") != sum("m/b") {
		t.Error("a directory of the module has another digest")
	}
	if _, err := digest(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("there is a digest without a module")
	}
	for _, c := range []struct {
		of, file string
		changes  bool
	}{
		{"m", "m/a.go", true}, {"m", "m/b/b.go", true}, {"m", "m/b/new_test.go", true}, {"m", "lib/l.go", true}, {"m", "m/go.sum", true},
		{"m", "m/README", false}, {"m", "m/nested/n.go", false}, {"m", "w/one/o.go", false},
		{"w/one", "w/one/o.go", true}, {"w/one", "w/two/t.go", true}, {"w/one", "w/three/t.go", false},
	} {
		before := sum(c.of)
		write(t, dir, c.file, "package changed // for "+c.of+"\n")
		if got := sum(c.of) != before; got != c.changes {
			t.Errorf("a change of %s changes the digest of %s: %v", c.file, c.of, got)
		}
	}
	before := sum("m")
	t.Setenv("GOOS", "plan9")
	if sum("m") == before {
		t.Error("another system has the same digest")
	}
}
