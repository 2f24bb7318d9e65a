package window

import (
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
