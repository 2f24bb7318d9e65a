package merge

import (
	"testing"

	"presage/internal/trace"
)

// TestEmits is (L3).
func TestEmits(t *testing.T) {
	m := &merger{recording: &recording{}}
	m.meta = &trace.Meta{
		Files: []trace.File{{Name: "/m/a.go"}},
		Funcs: []trace.Func{
			{Name: "m.emitted", File: 0, Line: 10},
			{Name: "m.emitted.func1", File: 0, Line: 12},
			{Name: "m.written", File: 0, Line: 20, Opaque: "directive"},
			{Name: "m.both", File: 0, Line: 30, Opaque: "directive"},
			{Name: "m.second", File: 0, Line: 30},
		},
	}
	m.outsideTables()
	for at, want := range map[pcPlace]bool{
		{"m.emitted", "/m/a.go", 11}:      true,
		{"m.emitted", "/m/a.y", 99}:       true, // by a //line comment
		{"m.written", "/m/a.go", 21}:      false,
		{"main.written", "/m/a.go", 21}:   false,
		{"main.written.x", "/m/a.go", 20}: false,
		{"main.emitted", "/m/a.go", 19}:   true,
		{"m.both", "/m/a.go", 30}:         false,
		{"main.both", "/m/a.go", 30}:      true, // which of the two is not known
		{"m.init", "/m/a.go", 3}:          true,
		{"fmt.Print", "/go/print.go", 21}: false,
	} {
		if got := m.emits(at); got != want {
			t.Errorf("%+v: %v", at, got)
		}
	}
}
