package static_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/load"
)

// program is three packages, each of which imports the one before.
var program = map[string]string{
	"go.mod": "module m\n\ngo 1.25\n",
	"a/a.go": "package a\n\nimport \"sync\"\n\ntype T struct {\n\tmu sync.Mutex\n\tn  int\n}\n\nfunc (t *T) Add() {\n\tt.mu.Lock()\n\tt.n++\n\tt.mu.Unlock()\n}\n\nfunc (t *T) Get() int { return t.n }\n",
	"b/b.go": "package b\n\nimport \"m/a\"\n\nfunc Twice(t *a.T) {\n\tt.Add()\n\tt.Add()\n}\n",
	"c/c.go": "package c\n\nimport (\n\t\"m/a\"\n\t\"m/b\"\n)\n\nfunc Run() int {\n\tt := new(a.T)\n\tgo b.Twice(t)\n\treturn t.Get()\n}\n",
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func analyse(t *testing.T, dir, store string) *static.Result {
	t.Helper()
	res, err := run(dir, store, false)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func run(dir, store string, share bool) (*static.Result, error) {
	return static.Run(context.Background(), static.Config{Config: load.Config{Dir: dir, Patterns: []string{"./..."}}, Store: store, Share: share})
}

// report is all that a reader sees.
func report(res *static.Result) string {
	var b strings.Builder
	for _, w := range res.Pairs {
		fmt.Fprintln(&b, w.Tier, w.Codes, w.Object())
		for _, s := range res.Sides(w) {
			fmt.Fprintf(&b, "\t%+v\n", s)
		}
	}
	return b.String()
}

// A second run takes what it needs from the directory; after an edit only what may change is done
// again (package store).
func TestStore(t *testing.T) {
	dir, store := t.TempDir(), t.TempDir()
	for name, text := range program {
		write(t, dir, name, text)
	}
	first := analyse(t, dir, store)
	if !strings.Contains(report(first), "a.go") {
		t.Fatalf("the race in t.n is not reported:\n%s", report(first))
	}
	all := first.Stats.Store.Made
	for _, step := range []struct {
		name, file, from, to string
		made                 int
	}{
		{"nothing", "a/a.go", "", "", 0},
		{"a line more", "a/a.go", "package a\n", "package a\n\n// T is\n// a counter.\n", 1},
		{"another body", "a/a.go", "t.n++", "t.n += 2\n\tt.n++", 3},
		{"another declaration", "b/b.go", "func Twice", "const N = 3\n\nfunc Twice", 2},
		{"another version of the language", "go.mod", "go 1.25", "go 1.24", 3},
		{"the last package", "c/c.go", "new(a.T)", "&a.T{}", 1},
	} {
		text := program[step.file]
		write(t, dir, step.file, strings.Replace(text, step.from, step.to, 1))
		warm := analyse(t, dir, store)
		if s := warm.Stats.Store; s.Made != step.made || s.Found != all-step.made {
			t.Errorf("%s: %+v; want %d made of %d", step.name, s, step.made, all)
		}
		if cold := analyse(t, dir, ""); report(cold) != report(warm) {
			t.Errorf("%s: the report is\n%s, without the directory\n%s", step.name, report(warm), report(cold))
		}
		write(t, dir, step.file, text)
		analyse(t, dir, store)
	}
}

// Processes that share a directory do each package once, and the report is that of one.
func TestShare(t *testing.T) {
	dir, store := t.TempDir(), t.TempDir()
	for name, text := range program {
		write(t, dir, name, text)
	}
	alone := analyse(t, dir, "")
	var shards [2]*static.Result
	var errs [2]error // to Fatal in a goroutine would end that one alone
	var wg sync.WaitGroup
	for i := range shards {
		wg.Go(func() { shards[i], errs[i] = run(dir, store, true) })
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	a, b := shards[0].Stats.Store, shards[1].Stats.Store
	linked := analyse(t, dir, store)
	if linked.Stats.Store.Made != 0 || a.Made+b.Made < linked.Stats.Store.Found || a.Found+a.Made != b.Found+b.Made {
		t.Errorf("shards %+v and %+v, then %+v", a, b, linked.Stats.Store)
	}
	if report(alone) != report(linked) {
		t.Errorf("one process:\n%s, two shards:\n%s", report(alone), report(linked))
	}
}
