package static_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/summary"
)

// TestBounds analyses programs that exceed one bound each, by a known number of cases.
func TestBounds(t *testing.T) {
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(format, "#", "%[1]d"), i)
		}
		return b.String()
	}
	for _, test := range []struct {
		bound summary.Bound
		want  int
		text  string
	}{
		{summary.BoundAccesses, 50, "type S struct{ n int }\nfunc F(s *S) { G(s) }\nfunc G(s *S) {\n" + repeat(300, "s.n = #\n") + "}\n"},
		{summary.BoundHoles, 20, "func F(f func()) { G(f) }\nfunc G(f func()) {\n" + repeat(120, "f() // #\n") + "}\n"},
		{summary.BoundExits, 4, "func F(x int) int {\n" + repeat(11, "if x == # { return # }\n") + "return 99\n}\n"},
		{summary.BoundCells, 4, "type S struct {\n" + repeat(100, "f# *int\n") + "}\nfunc F(s *S, p *int) {\n" + repeat(100, "s.f# = p\n") + "}\n"},
		{summary.BoundStores, 10, "type S struct {\n" + repeat(90, "f# *int\n") + "}\nfunc F(s *S, p *int) {\n" + repeat(90, "s.f# = p\n") + "}\n"},
		{summary.BoundReleases, 6, "func F(c chan int) {\n" + repeat(70, "c <- #\n") + "}\n"},
		{summary.BoundSites, 10, "var g int\n" + repeat(160, "func F#() { g = # }\n")},
		{summary.BoundOrder, 2, "var x int\nfunc f() int { x++; return x }\nvar y, z = x + f(), f() + x\nfunc F(any interface{}) {\n" +
			"switch {\ncase x == f(), any:\n}\n}\n"},
	} {
		t.Run(test.bound.Code(), func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.25\n", "a.go": "package m\n" + test.text} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			res, err := static.Run(context.Background(), static.Config{Config: load.Config{Dir: dir}})
			if err != nil || len(res.Errors) > 0 {
				t.Fatal(err, res.Errors)
			}
			if got := res.Stats.Cuts[test.bound]; got != test.want {
				t.Errorf("%d cases beyond the bound, want %d (all bounds: %v)", got, test.want, res.Stats.Cuts)
			}
		})
	}
	for b := range summary.NumBounds {
		if b.Code() == "" || b.Text() == "" {
			t.Errorf("bound %d has no name", b)
		}
	}
}
