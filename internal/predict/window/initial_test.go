package window

import (
	"fmt"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestWatched: a variable is watched if the recorder says so, until a call may write memory without
// a record.
func TestWatched(t *testing.T) {
	event := func(g trace.GoID, state trace.Addr, f format.Flags) trace.Event {
		return trace.Event{Kind: format.Observe, G: g, Obj: state, Flags: f | format.FlagOpaque}
	}
	const (
		begins = format.FlagWrite | format.FlagNoValue
		ends   = format.FlagRead
	)
	other := trace.Event{Kind: format.Block, G: 1}
	for _, c := range []struct {
		name     string
		events   []trace.Event // VariablesAt is 2
		unhooked bool
		want     bool
	}{
		{name: "nothing", events: []trace.Event{other, other, other}, want: true},
		{name: "other states", events: []trace.Event{event(1, format.StateFiles, format.FlagWrite), event(1, format.StateProgram, format.FlagWrite), event(1, format.StateProgram, format.FlagWrite)}, want: true},
		{name: "assembly", events: []trace.Event{other, other, event(1, format.StateProgram, begins)}},
		{name: "C", events: []trace.Event{other, other, other, event(1, format.StateC, format.FlagWrite)}},
		{name: "before", events: []trace.Event{event(2, format.StateC, format.FlagWrite), event(2, format.StateC, ends), other}, want: true},
		{name: "meanwhile", events: []trace.Event{event(2, format.StateC, format.FlagWrite), event(1, format.StateC, ends), other}},
		{name: "no hooks", events: []trace.Event{other, other, other}, unhooked: true},
	} {
		meta := &trace.Meta{VariablesAt: 2, Unhooked: c.unhooked, Globals: []trace.Global{{Name: "p.a", Addr: 0x100, Size: 8, Watched: true}, {Name: "p.b", Addr: 0x108, Size: 8}}}
		b := NewBuilder(BuildOptions{Meta: meta}, nil)
		for i := range c.events {
			if e := &c.events[i]; e.Kind == format.Observe {
				b.pkgs.observes(int64(i), e)
			}
			b.begun(int64(i))
		}
		if got := b.pkgs.watched(0x100); got != c.want || b.pkgs.watched(0x108) || b.pkgs.watched(0x110) {
			t.Errorf("%s: watched is %v", c.name, got)
		}
	}
}

// TestChannelCapacity: a channel of the meta has its capacity until its memory is allocated again.
func TestChannelCapacity(t *testing.T) {
	meta := &trace.Meta{VariablesAt: 5, Channels: []trace.Channel{{Addr: 0x100, Cap: 3}, {Addr: 0x200}, {Addr: 0x300, Cap: 1}}}
	p := NewBuilder(BuildOptions{Meta: meta}, nil).pkgs
	text := func() (s string) {
		for _, ch := range []trace.Addr{0x100, 0x180, 0x200, 0x300} {
			if n, ok := p.capacity(ch); ok {
				s += fmt.Sprintf("%#x=%d ", uint64(ch), n)
			}
		}
		return s
	}
	for _, c := range []struct {
		index      int64
		addr, size uint64
		want       string
	}{
		{4, 0x100, 96, "0x100=3 0x200=0 0x300=1 "},
		{5, 0x108, 0xf8, "0x100=3 0x200=0 0x300=1 "},
		{6, 0x300, 0, "0x100=3 0x200=0 0x300=1 "},
		{7, 0x1f0, 0x20, "0x100=3 0x300=1 "},
		{8, 0x80, 0x1000, ""},
	} {
		p.allocates(c.index, &trace.Event{Kind: format.Alloc, Obj: trace.Addr(c.addr), Val: c.size})
		if got := text(); got != c.want {
			t.Errorf("after event %d: %q, want %q", c.index, got, c.want)
		}
	}
}
