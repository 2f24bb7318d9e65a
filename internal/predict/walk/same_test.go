package walk

import (
	"testing"

	"github.com/presage-race/presage/internal/trace"
)

// TestSame: traces are of one program if nothing differs by which it is loaded and planned.
func TestSame(t *testing.T) {
	meta := func(change func(*trace.Meta)) *trace.Meta {
		m := &trace.Meta{
			Dir: "/m", BuildEnv: []string{"A=b"}, BuildFlags: []string{"-tags=x"}, Packages: []string{"m"}, Tested: []string{"m"}, Missing: []trace.MissingPackage{{Path: "m/lib"}},
			Files: []trace.File{{Name: "a.go", Hash: "1"}}, Funcs: []trace.Func{{Name: "f"}}, Sites: []trace.SiteInfo{{}, {Expr: "x"}},
		}
		change(m)
		return m
	}
	same := func(*trace.Meta) {}
	if !Same(meta(same), meta(func(m *trace.Meta) { m.Goroutines = make([]trace.Goroutine, 3) })) {
		t.Error("another run is another program")
	}
	for name, change := range map[string]func(*trace.Meta){
		"dir":      func(m *trace.Meta) { m.Dir = "/n" },
		"env":      func(m *trace.Meta) { m.BuildEnv = nil },
		"flags":    func(m *trace.Meta) { m.BuildFlags = nil },
		"packages": func(m *trace.Meta) { m.Packages = append(m.Packages, "n") },
		"tested":   func(m *trace.Meta) { m.Tested = nil },
		"missing":  func(m *trace.Meta) { m.Missing[0].Path = "m/other" },
		"source":   func(m *trace.Meta) { m.Files[0].Hash = "2" },
		"opaque":   func(m *trace.Meta) { m.Funcs[0].Opaque = "why" },
		"sites":    func(m *trace.Meta) { m.Sites[1].Expr = "y" },
	} {
		if Same(meta(same), meta(change)) {
			t.Errorf("%s makes no difference", name)
		}
	}
}
