package recorder_test

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestInline: the hooks of every block and access are inlined into emitted code. Block is at the
// very limit of what the compiler inlines, and methods are inlined across two packages only because
// presagert keeps their bodies (func inlined).
func TestInline(t *testing.T) {
	bin := build(t, []byte(`
package main

import (
	"presagert"
	"unsafe"
)

var a [100]int

//go:noinline
func hooked(i int) {
	g := presagert.Enter(56<<56 | 1)
	if g.Outside() {
		g.Room(2)
		g.W2(59<<56|8<<32|5, uint64(i))
	}
	g.Block(58<<56|2, 4)
	g.W3(1<<56|8<<32|3, unsafe.Pointer(&a[i]), uint64(a[i]))
	g.W1(58<<56 | 4)
	g.Call(6)
	presagert.Heap(unsafe.Pointer(&a))
	g.Exit(57<<56 | 1)
}

func main() { hooked(3) }
`))
	out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.hooked$`, bin).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	calls := map[string]bool{}
	for _, m := range regexp.MustCompile(`CALL (runtime\.\S*Presage\S*|presagert\.\S*)\(SB\)`).FindAllSubmatch(out, -1) {
		calls[string(m[1])] = true
	}
	for call := range calls {
		switch call {
		case "runtime.PresageEnter", "runtime.(*PresageG).exit", "runtime.(*PresageG).grow":
		default:
			t.Errorf("%s is not inlined", call)
		}
	}
	if !calls["runtime.PresageEnter"] {
		t.Errorf("no hooks in\n%s", out)
	}
}
