package mutants

import (
	"testing"
)

func TestModules(t *testing.T) {
	all, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range all {
		if seen[m.String()] {
			t.Errorf("%s: twice", m)
		}
		seen[m.String()] = true
	}
	for _, bad := range []string{"example.com/m@v1.0.0", "example.com/m 10s .", "example.com/m@v1.0.0 10 .", "example.com/m@v1.0.0 10s -short"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestProfile(t *testing.T) {
	p := readProfile([]byte("mode: set\nm/m.go:3.14,5.2 2 1\nm/m.go:7.14,9.2 2 0\n"))
	for _, c := range []struct {
		file      string
		line, col int
		want      bool
	}{
		{"m/m.go", 4, 1, true}, {"m/m.go", 3, 13, false}, {"m/m.go", 3, 14, true}, {"m/m.go", 5, 3, false}, {"m/m.go", 8, 1, false}, {"m/n.go", 4, 1, false},
	} {
		if got := p.executed(c.file, c.line, c.col); got != c.want {
			t.Errorf("%s:%d:%d: %t, want %t", c.file, c.line, c.col, got, c.want)
		}
	}
}
