package replay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestMeetings: passages meet where they are of overlapping memory; those of fewest passages
// come first.
func TestMeetings(t *testing.T) {
	a := []span{{0x100, 1}, {0x200, 8}, {0x300, 16}}
	b := []span{{0x400, 1}, {0x308, 1}, {0x207, 1}, {0x208, 1}}
	want := []crossing{{1, 2}, {2, 1}}
	if got := meetings(a, b); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := meetings(a, []span{{}}); len(got) != 3 || got[0] != (crossing{}) {
		t.Errorf("with an address that is not known: %v, want all, the first one first", got)
	}
	if got := meetings(a, nil); got != nil {
		t.Errorf("with an access that did not come: %v", got)
	}
}

// TestGather: what an access of a recorded race needs stays, what comes after the other access
// goes.
func TestGather(t *testing.T) {
	at := func(g int, index int64, k format.Kind, obj trace.Addr) step {
		return step{gate: g, index: index, kind: k, obj: obj}
	}
	steps := []step{
		at(1, 0, format.Go, 2),
		at(2, 1, format.Write, 8),   // the first access
		at(2, 2, format.Unlock, 16), // after it
		at(3, 3, format.Lock, 16),   // after it, by the lock
		at(4, 4, format.Lock, 24),   // not
		at(3, 5, format.Go, 5),      // after it
		at(5, 6, format.Write, 32),  // after it: its goroutine was started there
		at(4, 7, format.Read, 32),   // of the other goroutine: stays
		at(4, 8, format.Read, 8),    // the second access
	}
	var got []int64
	for _, st := range gather(steps, 1) {
		got = append(got, st.index)
	}
	if want := []int64{0, 4, 7, 1, 8}; !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
}

// TestJudgeOutside: an access of outside code is known by its function and line. A frame of the
// program before it is another access.
func TestJudgeOutside(t *testing.T) {
	text := `==================
WARNING: DATA RACE
Write at 0x00c000062188 by goroutine 9:
  runtime.mapassign_faststr()
      /go/src/runtime/map.go:10 +0x399
  net/url.Values.Add()
      /go/src/net/url/url.go:20 +0x399
  m.Test.func1()
      /src/a.go:20 +0x2fd

Previous read at 0x00c000062188 by goroutine 10:
  m.Test.func2()
      /src/a.go:24 +0xa1
==================
`
	ours := func(file string) bool { return strings.HasPrefix(file, "/src/") }
	in := Line{File: "/src/a.go", Line: 24}
	for _, c := range []struct {
		a, b Line
		want bool
	}{
		{Line{Func: "net/url.Values.Add", Line: 20}, in, true},
		{in, Line{Func: "net/url.Values.Add", Line: 20}, true},
		{Line{Func: "net/url.Values.Add", Line: 21}, in, false},
		{Line{Func: "net/url.Values.Set", Line: 20}, in, false},
		// as before: the innermost frame of the program
		{Line{File: "/src/a.go", Line: 20}, in, true},
		{Line{Func: "net/url.Values.Add", Line: 20}, Line{Func: "m.Test.func2", Line: 25}, false},
	} {
		if got := Judge(text, c.a, c.b, ours); (got != "") != c.want {
			t.Errorf("%v, %v: report %q, want one: %v", c.a, c.b, got, c.want)
		}
	}
}

// TestKeptOutside: a kept schedule names accesses of outside code, and is refused where these
// are not the race's.
func TestKeptOutside(t *testing.T) {
	with := func(change func(k *Kept)) string {
		k := parseKeptFile(t)
		a, b := k.pair()
		k.places = []keptPlace{
			{101, outsidePlace{fn: "strings.(*Builder).WriteString", file: "strings/builder.go", line: 114, write: true}, "b.buf = append(b.buf, s...)"},
			{102, outsidePlace{fn: "example.com/x.F[...]", file: "x/f.go", line: 7}, "x | y"},
		}
		for i, n := range []int{a, b} {
			k.steps[n].gate, k.steps[n].flags = 101+i, k.steps[n].flags|outside
			k.steps[n].kind = k.place(101 + i).kind()
		}
		change(k)
		return string(k.Format())
	}
	good := with(func(*Kept) {})
	k, err := ParseKept("f", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if again := string(k.Format()); again != good {
		t.Errorf("written again:\n%s\nnot\n%s", again, good)
	}
	if !strings.HasPrefix(good, "presage schedule 2\n") || !strings.Contains(good, "\noutside g101 strings.(*Builder).WriteString strings/builder.go 114 write | b.buf = append(b.buf, s...)\n") {
		t.Errorf("the text is\n%s", good)
	}
	if a, b := k.pair(); k.steps[a].flags&k.steps[b].flags&outside == 0 {
		t.Error("the accesses are not known as those of outside code")
	}
	for _, c := range []struct {
		change func(k *Kept)
		want   string
	}{
		{func(k *Kept) { k.places[0].number = 1 }, "there are two gates g1"},
		{func(k *Kept) { k.steps[0].gate = 101 }, "step 1: the access at strings.(*Builder).WriteString, builder.go:114 is not one of the race"},
		{func(k *Kept) { k.places[0].write = false }, "is not a write"},
		{func(k *Kept) { k.places = k.places[:1] }, "no function has the gate g102"},
		{func(k *Kept) { k.places[1].line = 0 }, "is not a line of the functions and their gates"},
	} {
		if _, err := ParseKept("f", []byte(with(c.change))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	old := strings.Replace(good, "presage schedule 2", "presage schedule 1", 1)
	if _, err := ParseKept("f", []byte(old)); err == nil {
		t.Error("a schedule of version 1 with an access of outside code was read")
	}
}

// TestOutsidePackage: the package is in the name of the function.
func TestOutsidePackage(t *testing.T) {
	for fn, want := range map[string]string{
		"strings.(*Builder).WriteString":            "strings",
		"container/list.New":                        "container/list",
		"gopkg.in/yaml%2ev3.(*Node).Decode.func1":   "gopkg.in/yaml.v3",
		"slices.insertionSortOrdered[go.shape.int]": "slices",
		"m/x.F[example.com/y/z.T]":                  "m/x",
		"m/x_test.add":                              "m/x",
	} {
		if got := (&outsidePlace{fn: fn}).pkg(); got != want {
			t.Errorf("%s: package %q, want %q", fn, got, want)
		}
	}
}

// TestOutsideFound: a line that has moved is found by its text, the nearest one of several; one
// that is gone is not.
func TestOutsideFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.go")
	if err := os.WriteFile(file, []byte("a\n\tb++\nc\n\n\tb++\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line int
		text string
		want int
	}{{2, "b++", 2}, {3, "b++", 2}, {4, "b++", 5}, {9, "b++", 5}, {2, "b--", 0}} {
		f := &fit{places: map[int]*outsidePlace{}}
		f.outside(&keptPlace{1, outsidePlace{line: c.line}, c.text}, file)
		got := 0
		if at := f.places[1]; at != nil {
			got = at.line
		}
		if got != c.want {
			t.Errorf("%q, which was in line %d: found in line %d, want %d", c.text, c.line, got, c.want)
		}
	}
}
