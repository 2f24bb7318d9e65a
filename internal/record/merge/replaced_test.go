package merge

import (
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestReplaced: a write of a word that an operation of a sync.Map has read replaces the map, until
// its memory is allocated anew. The writes of one instruction stay together.
func TestReplaced(t *testing.T) {
	const word = format.MapWords + 8
	uses := func(a trace.Addr) []trace.Event {
		return []trace.Event{
			{Kind: format.AtomicRead, Flags: format.FlagOpaque, G: 1, Obj: a, Size: 8},
			{Kind: format.Alloc, G: 1, Obj: 0x9000, Val: 8},
			{Kind: format.AtomicRead, G: 1, Obj: word, Size: 8},
		}
	}
	write := func(a trace.Addr, more format.Flags) trace.Event {
		return trace.Event{Kind: format.Write, G: 2, Obj: a, Size: 8, Flags: more}
	}
	for _, test := range []struct {
		name   string
		events []trace.Event
		want   bool
	}{
		{"of the word", append(uses(0x100), write(0x100, 0)), true},
		{"of another word", append(uses(0x100), write(0x108, 0)), false},
		{"the last one of several", append(uses(0x110), write(0x100, format.FlagMore), write(0x108, format.FlagMore), write(0x110, 0)), true},
		{"of no map", []trace.Event{uses(0x100)[0], write(0x100, 0)}, false},
		{"of a part of the word", append(uses(0x100), trace.Event{Kind: format.Write, G: 2, Obj: 0x104, Size: 4}), true},
		{"allocated anew", append(uses(0x100), trace.Event{Kind: format.Alloc, G: 2, Obj: 0xf0, Val: 0x40}, write(0x100, 0)), false},
		{"allocated elsewhere", append(uses(0x100), trace.Event{Kind: format.Alloc, G: 2, Obj: 0x200, Val: 0x40}, write(0x100, 0)), true},
	} {
		var m syncMaps
		var kept, replaced bool
		for i := range test.events {
			e := &test.events[i]
			if kept = m.note(e); kept && e.Flags&format.FlagMore == 0 {
				var list []trace.Event
				list, replaced = m.take()
				if len(list) == 0 || list[len(list)-1] != *e || len(m.kept) != 0 {
					t.Errorf("%s: took %d events", test.name, len(list))
				}
			}
		}
		if replaced != test.want {
			t.Errorf("%s: %t", test.name, replaced)
		}
	}
}
