package harness

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestTests compares what the tests of two calls call with what testdata/calls.txtar wants: a
// module, and for each pair of functions the statements that make the objects, and the two calls.
func TestTests(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/calls.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var want string
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(context.Background(), Config{Dir: dir, Patterns: []string{"./..."}, Module: "example.com/m/presagecalls"})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(archive.Comment)) {
		pair := strings.Split(strings.TrimSpace(line), " | ")
		if len(pair) != 2 {
			continue
		}
		got.WriteString("# " + strings.Join(pair, " | ") + "\n")
		for _, x := range p.Tests("calls", "1", pair[0], pair[1]) {
			got.WriteString(x.Name + "\n")
			for line := range strings.Lines(x.Text) {
				made := strings.Contains(line, ":= ") && !strings.Contains(line, "done") && !strings.Contains(line, "<-")
				called := strings.HasPrefix(line, "\t\t") && strings.HasSuffix(line, ")\n") && !strings.Contains(line, "t.Error") && !strings.Contains(line, "}()")
				if made || called && !strings.Contains(line, "recover()") {
					got.WriteString("    " + strings.TrimSpace(line) + "\n")
				} else if strings.HasPrefix(line, "func (") {
					got.WriteString("    " + line)
				}
			}
		}
	}
	if got.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}
}

func TestCallable(t *testing.T) {
	p := &Program{}
	if got := p.Callable([]string{"a.f", "(*a.T).M", ""}); got != "" {
		t.Errorf("a function of a package that is not loaded can be called: %s", got)
	}
}
