package session

import (
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// The flag of an unexplained read is a bit that other kinds of events use for something else.
func TestUnexplained(t *testing.T) {
	for _, c := range []struct {
		kind  format.Kind
		flags format.Flags
		want  bool
	}{
		{format.Read, format.FlagUnexplained, true},
		{format.AtomicRead, format.FlagUnexplained | format.FlagOpaque, true},
		{format.Read, format.FlagNoValue, false},
		{format.Alloc, format.FlagZero, false},
		{format.Lock, format.FlagRead, false},
		{format.OpaqueBegin, format.FlagDirect, false},
	} {
		if got := unexplained(&trace.Event{Kind: c.kind, Flags: c.flags}); got != c.want {
			t.Errorf("unexplained(%v with flags %b) = %v, want %v", c.kind, c.flags, got, c.want)
		}
	}
}
