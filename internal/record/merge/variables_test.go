package merge

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
)

// TestVariables: the meta has the words of package-level variables that the trace accesses after
// the main goroutine has read them, and that no stream may have accessed before.
func TestVariables(t *testing.T) {
	for _, c := range []struct{ name, recording, want, warn string }{
		{"only what is accessed", `
			go 1
			start 0 10
			stamp 11
			var/0/0 0x100 24
			var/0/8 0x200 8 7
			var/0/11 0x301 11 0x807060504030201 0x0b0a09
			var/0/8 0x400 8 5
			stamp 12
			read 0x108 0
			write 0x200 3
			read/0/1 0x30b 11
			stamp 20`, `
			at 1
			0x108 00 00 00 00 00 00 00 00
			0x200 07 00 00 00 00 00 00 00
			0x308 08 09 0a 0b`, ""},
		{"not what was accessed before", `
			go 1
			start 0 10
			write 0x100 1
			lock 0x900 11
			var/0/8 0x100 8 7
			var/0/0 0x200 16
			stamp 12
			write 0x100 3
			read 0x200 0
			read 0x208 0
			stamp 20`, `
			at 3
			0x200 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00`, ""},
		{"nor what another goroutine may have accessed before", `
			go 1
			start 0 10
			go 7 11
			stamp 40
			var/0/0 0x100 32
			var/0/0 0x2000 8192
			stamp 50
			write 0x110 9
			read 0x2000 0
			stamp 60
			go 7
			start 1 12
			write 0x100 1
			write/20 0x108 8
			write/20 0x2000 8192
			stamp 55
			read 0x118 0
			stamp 70`, `
			at 3
			0x110 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00`, ""},
		{"variables that were left out", `
			go 1
			start 0 10
			var/20 0x100 300000
			var/20 0x80000 5000
			stamp 12`, `
			at 0`, "variables-large=2"},
		{"a variable at no address", `
			go 1
			start 0 10
			var/0/0 0 3
			stamp 12`, `
			at 0`, "raw-damaged=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, meta, _ := mergeDir(t, save(t, parseRecording(t, c.recording), 0, 0))
			var b strings.Builder
			fmt.Fprintf(&b, "at %d\n", meta.VariablesAt)
			for _, v := range meta.Variables {
				fmt.Fprintf(&b, "%#x % x\n", uint64(v.Addr), v.Data)
			}
			if got := b.String(); got != lines(c.want) || warnings(meta) != c.warn {
				t.Errorf("got %s(%s), want %s(%s)", got, warnings(meta), lines(c.want), c.warn)
			}
		})
	}
}

// TestGlobals: the meta has the address of each variable of the plan, also if the content was not
// recorded, is not known, or is not accessed.
func TestGlobals(t *testing.T) {
	const recording = `
		go 1
		start 0 10
		write 0x100 1
		lock 0x900 11
		var/0/0/3 0x200 16
		var/0/8/1 0x100 8 7
		var/20/0/2 0x8000 300000
		var/0/0/4 0x300 8
		var/0/0/5 0x308 8
		var/0/0/0 0x310 8
		stamp 12
		write 0x100 3`
	dir := save(t, parseRecording(t, recording), 0, 0)
	var meta trace.Meta
	if _, err := File(dir, filepath.Join(t.TempDir(), "trace"), &meta, Options{Variables: []string{"", "p.a", "p.b", "q.c", "p_test.d"}}); err != nil {
		t.Fatal(err)
	}
	want := []trace.Global{{Name: "p.a", Addr: 0x100}, {Name: "q.c", Addr: 0x200}, {Name: "p_test.d", Addr: 0x300}, {Name: "p.b", Addr: 0x8000}}
	if diff := cmp.Diff(want, meta.Globals); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func lines(s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}
