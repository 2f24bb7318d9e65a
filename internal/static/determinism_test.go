package static

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/store"
)

// TestDeterministic analyses a module many times, with different numbers of processors. Each of its
// packages has a place where the order of a map, or of the visits to packages, could show in a
// summary.
func TestDeterministic(t *testing.T) {
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(format, "#", "%[1]d"), i)
		}
		return b.String()
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.25\n",
		// More locks become conditional than a state has room for.
		"guesses/a.go": "package guesses\nimport \"sync\"\ntype S struct {\nn int\n" + list(20, "m# sync.Mutex\n") + "}\n" +
			"func F(s *S, x bool) {\nif x {\n" + list(20, "s.m#.Lock()\n") + "}\nif x {\ns.n++\n" + list(20, "s.m#.Unlock()\n") + "}\n}\n",
		// The functions that are appended come from cells of a variadic argument.
		"flows/a.go": "package flows\ntype S struct{ hooks []func() }\n" + list(8, "func f#() {}\n") +
			"func F(s *S) { s.hooks = append(s.hooks" + list(8, ", f#") + ") }\n",
		// A group is shared whose first member was taken out of shared memory before. The last
		// member lies below memory that is taken out afterwards.
		"given/a.go": `package given
import "sync"
type T struct { next *T; n int }
func (t *T) follow() *T { return t.next }
type group struct { first, b, c, d, last *T }
type S struct { mu sync.Mutex; a, b *T; g *group }
func F(s *S) {
	s.mu.Lock()
	a := s.a
	s.a = nil
	b := s.b
	c := b.follow()
	s.g = &group{a, new(T), new(T), new(T), c}
	s.b = nil
	s.mu.Unlock()
	c.n++
}
`,
		// F is analysed before M. It must not find the M of the package without its test. That
		// package is visited at once if there are several processors: it does not wait for guesses.
		"lib/a.go":      "package lib\ntype I interface{ M() }\ntype T struct{ n int }\nfunc F(t *T) { var i I = t; i.M() }\nfunc (t *T) M() { t.n++ }\n",
		"lib/a_test.go": "package lib\nimport _ \"m/guesses\"\n",
		"user/a.go":     "package user\nimport \"m/lib\"\nfunc F() { lib.F(new(lib.T)) }\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	first := units(t, dir)
	if len(first) != 5 {
		t.Fatalf("%d packages, want 5", len(first))
	}
	for i := range 20 {
		runtime.GOMAXPROCS(1 + i%4)
		for id, data := range units(t, dir) {
			if !bytes.Equal(data, first[id]) {
				t.Errorf("the summaries of %s differ between analyses", id)
				first[id] = data
			}
		}
	}
}

// units are the encoded summaries of the packages of a module, by ID.
func units(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	ctx := context.Background()
	prog, err := load.List(ctx, load.Config{Dir: dir, Patterns: []string{"./..."}, Tests: true})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(Config{})
	if err := r.visitAll(ctx, prog); err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, m := range prog.Packages {
		if u := r.units[m.ID]; u != nil && m.Target {
			out[m.ID], _ = store.Encode(u)
		}
	}
	return out
}
