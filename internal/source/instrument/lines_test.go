package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/source/plan"
)

// TestLines: statements of one source line stand on one line, later lines follow by line breaks,
// and only a line that is earlier, far away or in another file has a comment.
func TestLines(t *testing.T) {
	var l lines
	l.at("a.go", 5)
	l.put("x := f()")
	l.put("if x {")
	l.put("goto b")
	empty := l.put("")
	l.put("}")
	l.put("b:")
	l.at("a.go", 7)
	l.put("g() // to the end")
	l.put("h()")
	l.at("a.go", 6)
	l.put("i()")
	l.at("b.go", 6)
	l.put("j(func() {\n})")
	l.put("k()")
	l.at("b.go", 90)
	l.put("m()")
	l.text[empty] = "room()"
	want := `//line a.go:5:900100
x := f(); if x { goto b; room(); }; b:

g() // to the end
//line a.go:7:900100
h()
//line a.go:6:900100
i()
//line b.go:6:900100
j(func() {
})
//line b.go:6:900100
k()
//line b.go:90:900100
m()
`
	if diff := cmp.Diff(want, l.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestLargeSelect: what is emitted for a select grows with its cases, has one variable for what
// they receive, and no line comment for each case. A value of another type has a variable of its
// own.
func TestLargeSelect(t *testing.T) {
	emit := func(n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tvar c [%d]chan int\n\tvar s chan string\n\tselect {\n", n)
		for i := range n {
			fmt.Fprintf(&b, "\tcase v := <-c[%d]:\n\t\tfmt.Println(v)\n", i)
		}
		b.WriteString("\tcase v := <-s:\n\t\tfmt.Println(v)\n\tdefault:\n\t}\n}\n")
		dir, out := t.TempDir(), t.TempDir()
		write(t, dir, "go.mod", "module m\n\ngo 1.26\n")
		write(t, dir, "main.go", b.String())
		if _, err := Instrument(t.Context(), Config{Config: plan.Config{Dir: dir}, OutDir: out}); err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(out, "*main.go"))
		if len(files) != 1 {
			t.Fatalf("files %q", files)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	small, large := emit(50), emit(100)
	if len(large) > len(small)*22/10 {
		t.Errorf("%d bytes for 50 cases, %d for 100", len(small), len(large))
	}
	if n, m := strings.Count(small, "//line "), strings.Count(large, "//line "); n != m {
		t.Errorf("%d line comments for 50 cases, %d for 100", n, m)
	}
	received := map[string]bool{}
	for _, head := range strings.Split(large, "case t")[1:] {
		name, _, _ := strings.Cut(head, ",")
		received[name] = true
	}
	if len(received) != 2 {
		t.Errorf("what is received has %d variables, not 2", len(received))
	}
}
