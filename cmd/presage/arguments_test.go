package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/cli/scripts"
)

// TestLongArguments records a package whose file names together are longer than what the go command
// passes to a compiler as arguments.
func TestLongArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: builds the standard library with the recorder inside")
	}
	t.Setenv("PRESAGE_CACHE", scripts.Cache)
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module large\n\ngo 1.25\n")
	write("main.go", "package main\n\nfunc main() { println(f0() + f1()) }\n")
	for i := range 320 {
		write(fmt.Sprintf("%s%d.go", strings.Repeat("x", 100), i), fmt.Sprintf("package main\n\nfunc f%d() int { return %d }\n", i, i))
	}
	if code, stdout, stderr := command("run", "-C", dir, "-q", "-level", "hb", "."); code != 0 {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
