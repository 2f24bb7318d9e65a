package merge

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestAudited merges accesses of outside code with values. The order does not depend on them, and
// without Options.Full they are left out.
func TestAudited(t *testing.T) {
	dir := save(t, parseRecording(t, `
		go 1
		start 0 10
		write/42/8/0x80000010 0x100 5
		read/42/16/0x80000010 0x200 1 2
		read/42/3/0x80000010 0x305 7
		lock 0x400 20
		go 2
		start 1 11
		read/42/8/0x80000010 0x100 6
		lock 0x500 21
	`), format.NotStopped, 0)
	accesses := func(events []trace.Event) (list []string) {
		for _, e := range events {
			if e.Outside() {
				list = append(list, fmt.Sprintf("%v %#x %d %d %#x", e.Kind, e.Obj, e.Size, e.Val, e.Flags))
			}
		}
		return list
	}
	events, _, stats := mergeBy(t, Options{Full: true}, dir)
	want := []string{"write 0x100 8 5 0x40", "read 0x200 8 1 0x50", "read 0x208 8 2 0x40", "read 0x305 3 7 0x40", "read 0x100 8 6 0x40"}
	if got := accesses(events); !slices.Equal(got, want) || stats.Values+int64(stats.Unexplained) > 0 {
		t.Errorf("%q, not %q; %d values compared, %d unexplained", got, want, stats.Values, stats.Unexplained)
	}
	events, _, _ = mergeDir(t, dir)
	if got := accesses(events); len(got) > 0 {
		t.Errorf("without a full trace: %q", got)
	}
}

// TestAnnounced places accesses that the runtime makes on behalf of emitted code: an audit keeps
// the writes.
func TestAnnounced(t *testing.T) {
	meta := &trace.Meta{Files: []trace.File{{Name: "/m/a.go"}}, Funcs: []trace.Func{{Name: "m.emitted", Line: 10}}}
	places := map[uint32]pcPlace{1: {"m.emitted", "/m/a.go", 11}, 2: {"fmt.Print", "/go/print.go", 21}}
	events := &recent{out: &output{}}
	o := outside{sites: &siteTable{meta: meta, places: places}, recent: events}
	for _, c := range []struct {
		kind format.Kind
		pc   uint32
		kept bool
	}{{format.Write, 1, true}, {format.Read, 1, false}, {format.Write, 2, true}, {format.Read, 2, true}} {
		events.events = nil
		w := binary.LittleEndian.AppendUint64(nil, 0x100)
		o.audited(&record{kind: c.kind, size: 8, site: c.pc | format.OutsidePC, w: binary.LittleEndian.AppendUint64(w, 5)}, placed{e: trace.Event{Kind: c.kind}})
		if len(events.events) > 0 != c.kept {
			t.Errorf("%v at %d: kept %v", c.kind, c.pc, !c.kept)
		}
		if c.kept && (events.events[0].e.Site == 0 || events.events[0].e.Val != 5) {
			t.Errorf("%v at %d: %v", c.kind, c.pc, events.events[0].e)
		}
	}
}

// TestEmits checks which code is emitted (ME9).
func TestEmits(t *testing.T) {
	sites := &siteTable{meta: &trace.Meta{
		Files: []trace.File{{Name: "/m/a.go"}},
		Funcs: []trace.Func{
			{Name: "m.emitted", File: 0, Line: 10},
			{Name: "m.emitted.func1", File: 0, Line: 12},
			{Name: "m.written", File: 0, Line: 20, Opaque: "directive"},
			{Name: "m.both", File: 0, Line: 30, Opaque: "directive"},
			{Name: "m.second", File: 0, Line: 30},
		},
	}}
	sites.prepare()
	for at, want := range map[pcPlace]bool{
		{"m.emitted", "/m/a.go", 11}:      true,
		{"m.emitted", "/m/a.y", 99}:       true, // by a //line comment
		{"m.written", "/m/a.go", 21}:      false,
		{"main.written", "/m/a.go", 21}:   false,
		{"main.written.x", "/m/a.go", 20}: false,
		{"main.emitted", "/m/a.go", 19}:   true,
		{"m.both", "/m/a.go", 30}:         false,
		{"main.both", "/m/a.go", 30}:      true, // one of the two, and unknown which
		{"m.init", "/m/a.go", 3}:          true,
		{"fmt.Print", "/go/print.go", 21}: false,
	} {
		if got := sites.emits(at); got != want {
			t.Errorf("%+v: %v", at, got)
		}
	}
}
