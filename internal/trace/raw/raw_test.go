package raw

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

func TestSymbolic(t *testing.T) {
	text := `
# the message-passing example
main go worker
main write x val=5 @a
main write x+4 size=4 val=0 @a   # the same site
worker start main
worker read x @b stack
worker lock mu read try
g9 wgadd wg val=-1
late send ch aux=2 val=0xff nonblocking
late enter @5 val=3 aux=1
`
	const x, mu, wg, ch = firstObject, firstObject + 64, firstObject + 128, firstObject + 192
	want := []trace.Event{
		{G: 1, Kind: format.Go, Obj: 2},
		{G: 1, Kind: format.Write, Obj: x, Size: 8, Val: 5, Site: 1},
		{G: 1, Kind: format.Write, Obj: x + 4, Size: 4, Site: 1},
		{G: 2, Kind: format.Start, Obj: 1},
		{G: 2, Kind: format.Read, Obj: x, Size: 8, Site: 2, Flags: format.FlagNoValue | format.FlagStack},
		{G: 2, Kind: format.Lock, Obj: mu, Flags: format.FlagRead | format.FlagTry},
		{G: 9, Kind: format.WGAdd, Obj: wg, Val: ^uint64(0)},
		{G: 10, Kind: format.ChanSend, Obj: ch, Aux: 2, Val: 255, Flags: format.FlagNonBlocking},
		{G: 10, Kind: format.Enter, Site: 5, Val: 3, Aux: 1},
	}
	got, meta, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	wantMeta := &trace.Meta{
		Sites:      []trace.SiteInfo{{}, {File: -1, Name: "a"}, {File: -1, Name: "b"}},
		Goroutines: []trace.Goroutine{1: {Name: "main"}, 2: {Name: "worker"}, 10: {Name: "late"}},
		Objects:    []trace.Object{{Addr: x, Name: "x"}, {Addr: mu, Name: "mu"}, {Addr: wg, Name: "wg"}, {Addr: ch, Name: "ch"}},
	}
	if d := cmp.Diff(wantMeta, meta); d != "" {
		t.Errorf("Meta (-want +got):\n%s", d)
	}
	checkRoundTrip(t, got, meta)
	checkRoundTrip(t, got, nil)
}

func checkRoundTrip(t *testing.T, events []trace.Event, meta *trace.Meta) {
	t.Helper()
	text := Text(events, meta)
	got, gotMeta, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !slices.Equal(events, got) {
		t.Fatalf("events (-want +got):\n%s\n%s", cmp.Diff(events, got), text)
	}
	if meta != nil {
		if d := cmp.Diff(meta, gotMeta); d != "" {
			t.Fatalf("Meta (-want +got):\n%s\n%s", d, text)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var events []trace.Event
	for range 20000 {
		k := format.Kind(1 + r.IntN(int(format.Max)-1))
		if !k.Valid() {
			continue
		}
		e := trace.Event{Kind: k, G: trace.GoID(r.IntN(5)), Flags: format.Flags(r.IntN(256)), Site: trace.Site(r.IntN(4))}
		e.Obj = []trace.Addr{0, 1, 8, 16, 1 << 40, ^trace.Addr(0)}[r.IntN(6)]
		e.Val = []uint64{0, 1, ^uint64(0), 1 << 33}[r.IntN(4)]
		e.Aux = []uint64{0, 1, ^uint64(0), 1 << 33}[r.IntN(4)]
		e.Size = []uint16{0, 8, 1, 65535}[r.IntN(4)]
		events = append(events, e)
	}
	checkRoundTrip(t, events, nil)
	// Names that must not be used, because they would not read back.
	checkRoundTrip(t, events, &trace.Meta{
		Source: "test", Command: []string{"a b", "#"},
		Files:      []trace.File{{Name: "a.go"}},
		Funcs:      []trace.Func{{Name: "main.main", Line: 3}},
		Sites:      []trace.SiteInfo{{}, {File: 0, Line: 7, Expr: "a\nb"}, {File: -1, Name: "x\ny"}, {File: 9, Name: "# %"}},
		Goroutines: []trace.Goroutine{{}, {Name: "g2"}, {Name: "g02"}, {Name: "T0"}, {Name: "T0"}, {Name: "a b"}},
		Objects: []trace.Object{{Addr: 8, Name: "L1"}, {Addr: 16, Name: "L1"}, {Addr: 1 << 40, Name: "read"}, {Addr: 16, Name: "a=b"},
			{Addr: ^trace.Addr(0), Name: "x+8"}, {Addr: 1, Name: "12"}},
		Warnings: []trace.Warning{{Code: "c", Count: 2, Text: "t"}},
	})
}

func TestTablesAtEnd(t *testing.T) {
	meta := &trace.Meta{Source: "late", Objects: []trace.Object{{Addr: 8, Name: "V1"}}}
	var b strings.Builder
	w, err := NewWriter(&b, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := trace.Event{Kind: format.Write, G: 1, Size: 8, Obj: 8, Val: 1}
	if err := w.Write(&e); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(meta); err != nil {
		t.Fatal(err)
	}
	events, got, err := Parse(b.String())
	if err != nil || !slices.Equal(events, []trace.Event{e}) {
		t.Errorf("%v, %v", events, err)
	}
	if d := cmp.Diff(meta, got); d != "" {
		t.Error(d)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"g1", "line 1: no kind"},
		{"\n\ng1 jump x", `line 3: "jump" is not a kind`},
		{"g1 read", "line 1: read has no object"},
		{"g1 read x val=q", "line 1: strconv"},
		{"g1 read x val=1 fast", `line 1: "fast" is not an attribute`},
		{"g1 read x speed=1", `line 1: "speed" is not an attribute`},
		{"g1 read x size=65536", "line 1: size 65536"},
		{"1 read x", `line 1: "1" is not a goroutine`},
		{"g1 read =", `line 1: "=" is not an object`},
		{"g1 read x+y", "line 1: strconv"},
		{"g1 end @%", `line 1: "%" is not a site`},
		{"%site 99999999999 {}", "line 1: \"99999999999\" is not an index"},
		{"%site 100000 {}", "line 1: entry 100000 of a table that has 0"},
		{"%table 1 {}", `line 1: "table" is not a table`},
		{"%site 1 {", "line 1: in a table"},
		{"g1 end " + strings.Repeat("more ", 16), "line 1: too many words"},
		{"g3000000000 end", `line 1:`},
	} {
		_, _, err := Parse(c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add("main go worker\nmain write x val=5 @a\nworker read x+4 @b stack # c\n%object {\"addr\":8,\"name\":\"V1\"}\n")
	f.Add("%go 1 {\"name\":\"T0\"}\n%site 1 {\"name\":\"s\"}\nT0 send ch aux=0x10 nonblocking @s\nT0 block obj=3 panic\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewReader(strings.NewReader(text))
		var events []trace.Event
		for {
			var e trace.Event
			if err := r.Next(&e); err != nil {
				if err != io.EOF {
					return
				}
				break
			}
			events = append(events, e)
		}
		got, _, err := Parse(Text(events, r.Meta()))
		if err != nil || !slices.Equal(got, events) {
			t.Fatalf("reads back as %v, %v; want %v", got, err, events)
		}
	})
}

// TestMissing: the lines of calls of excluded code.
func TestMissing(t *testing.T) {
	const text = "main methodbegin isAlive @call\nmain reach x+8 val=24\nmain reach y\nmain reachgo worker\nmain methodend isAlive\nmain methodbegin free all\n"
	got, meta, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	const m = firstObject
	want := []trace.Event{
		{G: 1, Kind: format.MethodBegin, Obj: m, Site: 1},
		{G: 1, Kind: format.Reach, Obj: m + objectSpan + 8, Val: 24},
		{G: 1, Kind: format.Reach, Obj: m + 2*objectSpan},
		{G: 1, Kind: format.ReachGo, Obj: 2},
		{G: 1, Kind: format.MethodEnd, Obj: m},
		{G: 1, Kind: format.MethodBegin, Obj: m + 3*objectSpan, Flags: format.FlagAll},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	checkRoundTrip(t, got, meta)
	checkRoundTrip(t, got, nil)
}

// TestStateNames: the object of an observation is written, and read, as the name of a state; a
// number and an unknown name are as anywhere.
func TestStateNames(t *testing.T) {
	events := []trace.Event{
		{Kind: format.Observe, G: 1, Obj: format.StateFiles, Flags: format.FlagWrite | format.FlagOpaque},
		{Kind: format.Observe, G: 1, Obj: format.StateProgram, Flags: format.FlagRead},
		{Kind: format.Observe, G: 1, Obj: 99, Flags: format.FlagRead},
		{Kind: format.Lock, G: 1, Obj: format.StateFiles},
	}
	var b strings.Builder
	w, err := NewWriter(&b, &trace.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	want := "g1 observe files write opaque\ng1 observe program read\ng1 observe 0x63 read\ng1 lock 0x3\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s, want\n%s", b.String(), want)
	}
	checkRoundTrip(t, events, nil)
}
