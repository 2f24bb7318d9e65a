package merge

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
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
			if got := fmt.Sprintf("at %d\n", meta.VariablesAt) + memoryText(meta); got != lines(c.want) || warnings(meta) != c.warn {
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
		var/2/0/3 0x200 16
		var/2/8/1 0x100 8 7
		var/20/0/2 0x8000 300000
		var/0/0/4 0x300 8
		var/0/0/5 0x308 8
		var/0/0/0 0x310 8
		stamp 12
		write 0x100 3`
	_, meta := mergeVariables(t, recording, 0, []trace.Global{{}, {Name: "p.a", Watched: true}, {Name: "p.b", Own: true, Watched: true}, {Name: "q.c"}, {Name: "p_test.d", Watched: true}})
	want := []trace.Global{
		{Name: "p.a", Addr: 0x100, Size: 8, Watched: true}, {Name: "q.c", Addr: 0x200, Size: 16}, {Name: "p_test.d", Addr: 0x300, Size: 8},
		{Name: "p.b", Addr: 0x8000, Size: 300000, Own: true},
	}
	if diff := cmp.Diff(want, meta.Globals); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWatched: the meta has the words that are not accessed of variables that the recorder watches,
// unless outside code may have written them while they were read, or code has no hooks.
func TestWatched(t *testing.T) {
	globals := []trace.Global{{}, {Name: "p.a", Watched: true}, {Name: "p.b", Watched: true}, {Name: "p.linked"}, {Name: "p.unwatched", Watched: true}, {Name: "p.own", Own: true}}
	const recording = `
		go 1
		start 0 10
		go 7 11
		stamp 40
		var/2/0/1 0x100 24
		var/2/12/2 0x204 12 0x807060504030201 0x0b0a09
		var/2/8/3 0x300 8 3
		var/0/8/4 0x400 8 4
		var/0/8/5 0x500 8 5
		stamp 50
		go 7
		start 1 12
		context/0/0/9
		lock 0x900 60`
	for _, c := range []struct {
		name, more string
		meta       trace.Meta
		want       string
	}{
		{name: "all", want: `
			0x100 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
			0x204 01 02 03 04 05 06 07 08 09 0a 0b 00
			0x500 05 00 00 00 00 00 00 00`},
		{name: "writes of another goroutine", more: "late/0/0/2 0x108 0x4BFE000001 45\nlate/0/0/2 0x200 0x4BFE000001 50", want: `
			0x100 00 00 00 00 00 00 00 00
			0x110 00 00 00 00 00 00 00 00
			0x208 05 06 07 08 09 0a 0b 00
			0x500 05 00 00 00 00 00 00 00`},
		{name: "a read, and a later write", more: "late/0/0/1 0x108 0x4BFE000001 45\nlate/0/0/2 0x200 0x4BFE000001 51", want: `
			0x100 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
			0x204 01 02 03 04 05 06 07 08 09 0a 0b 00
			0x500 05 00 00 00 00 00 00 00`},
		{name: "no hooks", meta: trace.Meta{Unhooked: true}, want: "0x500 05 00 00 00 00 00 00 00"},
		{name: "excluded code", meta: trace.Meta{Missing: []trace.MissingPackage{{Path: "p"}}}, want: "0x500 05 00 00 00 00 00 00 00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := save(t, parseRecording(t, recording+"\n"+c.more), 0, 0)
			if _, err := File(dir, filepath.Join(t.TempDir(), "trace"), &c.meta, Options{Variables: globals}); err != nil {
				t.Fatal(err)
			}
			if got := memoryText(&c.meta); got != lines(c.want) {
				t.Errorf("got %s, want %s", got, lines(c.want))
			}
		})
	}
}

// TestChannels: the meta has the channels on which no operation comes before they are looked at.
func TestChannels(t *testing.T) {
	const recording = `
		go 1
		start 0 10
		send 0x900 1 2 11
		close 0x910 0 0 12
		alloc 0x910 96 13
		stamp 40
		var/2/0/1 0x100 24
		var/10/0 0x930 0
		var/10/0 0x920 4
		var/10/0 0x910 1
		var/10/0 0x900 2
		var/10/0 0x930 0
		stamp 50
		send 0x920 5 4 60`
	for _, c := range []struct {
		name    string
		stopped format.StopReason
		want    []trace.Channel
	}{
		{"whole", format.NotStopped, []trace.Channel{{Addr: 0x910, Cap: 1}, {Addr: 0x920, Cap: 4}, {Addr: 0x930}}},
		{"stopped", format.StopNoDisk, nil},
	} {
		_, meta := mergeVariables(t, recording, c.stopped, []trace.Global{{}, {Name: "p.c"}})
		if diff := cmp.Diff(c.want, meta.Channels); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestUnaccessed: the meta also has the words that are not accessed of variables that only
// instrumented code accesses, if these are small.
func TestUnaccessed(t *testing.T) {
	globals := []trace.Global{{}, {Name: "p.shared"}}
	for i := range 400 {
		globals = append(globals, trace.Global{Name: fmt.Sprint("p.own", i), Own: true})
	}
	const recording = `
		go 1
		start 0 10
		write 0x300 1
		go 7 11
		stamp 40
		var/0/8/1 0x100 8 7
		var/0/12/2 0x200 12 0x807060504030201 0x0b0a09
		var/0/24/3 0x300 24 1 2 3
		var/0/0/4 0x400 24
		var/0/0/5 0x500 264
		stamp 50
		read 0x408 0
		lock 0x900 60
		go 7
		start 1 12
		write 0x310 3
		stamp 55`
	for _, c := range []struct {
		name, recording, want, warn string
		stopped                     format.StopReason
	}{
		{name: "small and its own", recording: recording, want: `
			0x200 01 02 03 04 05 06 07 08 09 0a 0b 00
			0x308 02 00 00 00 00 00 00 00
			0x400 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00`},
		{name: "an access may be cut", recording: recording + "\nwrite 0x208 1", stopped: format.StopNoDisk, want: "0x408 00 00 00 00 00 00 00 00", warn: "recording-stopped=1 records-dropped=3"},
		{name: "many", recording: many(300), want: fmt.Sprintf("%#x % x", 0x10000, make([]byte, maxAllUnaccessed)), warn: "variables-cut=44"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, meta := mergeVariables(t, c.recording, c.stopped, globals)
			if got := memoryText(meta); got != lines(c.want) || warnings(meta) != c.warn {
				t.Errorf("got %s(%s), want %s(%s)", got, warnings(meta), lines(c.want), c.warn)
			}
		})
	}
}

// many is a recording with n variables that are not accessed.
func many(n int) string {
	var b strings.Builder
	b.WriteString("go 1\nstart 0 10\nstamp 11\n")
	for i := range n {
		fmt.Fprintf(&b, "var/0/0/%d %#x %d\n", 2+i, 0x10000+i*maxUnaccessed, maxUnaccessed)
	}
	return b.String() + "stamp 12"
}

// mergeVariables merges a recording of a program with the given variables.
func mergeVariables(t *testing.T, recording string, stopped format.StopReason, globals []trace.Global) (Stats, *trace.Meta) {
	t.Helper()
	var meta trace.Meta
	dir := save(t, parseRecording(t, recording), stopped, 0)
	s, err := File(dir, filepath.Join(t.TempDir(), "trace"), &meta, Options{Variables: globals})
	if err != nil {
		t.Fatal(err)
	}
	return s, &meta
}

// memoryText is the content of the variables.
func memoryText(meta *trace.Meta) string {
	var b strings.Builder
	for _, v := range meta.Variables {
		fmt.Fprintf(&b, "%#x % x\n", uint64(v.Addr), v.Data)
	}
	return b.String()
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

// TestHold: a function value that a variable holds is the function of the meta with its name, file
// and line. The linker has another path for package main. Others are left out.
func TestHold(t *testing.T) {
	meta := &trace.Meta{
		Files: []trace.File{{Name: "a.go"}, {Name: "b.go"}},
		Funcs: []trace.Func{
			{Name: "m/x.init.func1", Pkg: "m/x", Line: 3}, {Name: "m/x.init.func2", Pkg: "m/x", Line: 3}, {Name: "m/x.f", Pkg: "m/x", File: 1, Line: 3},
			{Name: "m/y.g", Pkg: "m/y", File: 1, Line: 9}, {Name: "m/z.g", Pkg: "m/z", File: 1, Line: 9},
		},
	}
	value := func(x trace.Addr, name, file string, line int32) function {
		return function{trace.Function{Addr: x}, pcPlace{name, file, line}}
	}
	k := variables{
		functions: []function{
			value(0x90, "main.init.func2", "a.go", 3), value(0x80, "m/x.init.func1", "a.go", 3), value(0x90, "main.init.func2", "a.go", 3),
			value(0x70, "m/x.f", "b.go", 4), value(0x60, "main.g", "b.go", 9), value(0x50, "m/x.f", "a.go", 3),
			{Function: trace.Function{Addr: 0x40, Once: 0x48, Runs: 0x80}},
		},
		conds: []trace.Cond{{Addr: 0x20, Lock: 0x28}, {Addr: 0x10, Lock: 0x18, Shared: true}, {Addr: 0x20, Lock: 0x28}},
	}
	k.hold(meta)
	if diff := cmp.Diff([]trace.Function{{Addr: 0x40, Once: 0x48, Runs: 0x80}, {Addr: 0x80, Func: 0}, {Addr: 0x90, Func: 1}}, meta.Functions); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]trace.Cond{{Addr: 0x10, Lock: 0x18, Shared: true}, {Addr: 0x20, Lock: 0x28}}, meta.Conds); diff != "" {
		t.Errorf("Conds (-want +got):\n%s", diff)
	}
}
