package instrument

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/source/plan"
)

var (
	orderSeed = flag.Uint64("order.seed", 1, "seed of the program of TestOrder")
	orderN    = flag.Int("order.n", 200, "statements of the program of TestOrder")
)

// TestOrder compares the order of evaluation of random statements, plain and instrumented (package
// evalorder).
func TestOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	dir := t.TempDir()
	write(t, dir, "go.mod", "module prog\n\ngo 1.26\n")
	src := orderProgram(*orderSeed, *orderN)
	write(t, dir, "main.go", src)
	want := execute(t, dir, "")
	out := t.TempDir()
	r, err := Instrument(t.Context(), Config{Config: plan.Config{Dir: dir}, OutDir: out})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Opaque {
		t.Errorf("%s:%d: %s is not emitted: %s", filepath.Base(o.File), o.Line, o.Func, o.Reason)
	}
	got := strings.Split(execute(t, dir, overlay(t, r, out)), "\n")
	lines := strings.Split(want, "\n")
	if len(got) != len(lines) {
		t.Fatalf("seed %d: %d lines of output, %d instrumented; the last is %s", *orderSeed, len(lines), len(got), got[len(got)-1])
	}
	differ := 0
	for i, w := range lines {
		if w == got[i] {
			continue
		}
		if panicked(w) && panicked(got[i]) && made(w) == made(got[i]) {
			continue // which of two panics comes first is not modelled
		}
		if differ++; differ <= 20 {
			_, f, _ := strings.Cut(src, "\nfunc t"+strings.Split(w, " ")[0]+"()")
			_, f, _ = strings.Cut(f, orderLocals)
			f, _, _ = strings.Cut(f, "\n}\n")
			t.Errorf("seed %d:\n%s\n-%s\n+%s", *orderSeed, f, w, got[i])
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d statements differ", differ, *orderN)
	}
}

// panicked reports whether a line of output is of a statement that failed.
func panicked(line string) bool {
	return strings.Contains(line, "runtime error: ") || strings.Contains(line, "interface conversion: ")
}

// made is the part of a line that says which calls were made; the text of the panic stands before
// it.
func made(line string) string {
	if i := strings.Index(line, "[m"); i >= 0 {
		line = line[i:]
	} else if i := strings.Index(line, "[] "); i >= 0 {
		line = line[i:]
	}
	calls, _, _ := strings.Cut(line, "]")
	return calls
}
