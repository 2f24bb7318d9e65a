package window

import (
	"testing"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// TestHandsOver: a run hands over to the next by an unbuffered channel if the one's send is what the other receives.
func TestHandsOver(t *testing.T) {
	send := func(g trace.GoID, c int32, capacity uint64) record {
		return record{obj: c, e: trace.Event{G: g, Kind: format.ChanSend, Aux: capacity}}
	}
	recv := func(g trace.GoID, c int32, capacity uint64) record {
		return record{obj: c, e: trace.Event{G: g, Kind: format.ChanRecv, Aux: capacity}}
	}
	write := record{obj: -1, e: trace.Event{G: 3, Kind: format.Write}}
	for name, c := range map[string]struct {
		recs []record
		want bool
	}{
		"send and receive":            {[]record{send(1, 0, 0), recv(2, 0, 0)}, true},
		"something else between":      {[]record{send(1, 0, 0), write, recv(3, 1, 0), recv(2, 0, 0)}, true},
		"the receive is of another's": {[]record{send(1, 0, 0), recv(3, 0, 0), send(4, 0, 0), recv(2, 0, 0)}, false},
		"another has sent, too":       {[]record{send(1, 0, 0), send(4, 0, 0), recv(2, 0, 0)}, false},
		"buffered":                    {[]record{send(1, 0, 1), recv(2, 0, 1)}, false},
		"another channel":             {[]record{send(1, 0, 0), recv(2, 1, 0)}, false},
		"the receiver is first":       {[]record{recv(2, 0, 0), send(1, 0, 0)}, false},
		"not of channels":             {[]record{write, write}, false},
	} {
		m := &maker{recs: c.recs}
		last := len(c.recs) - 1
		if got := m.handsOver(run{g: 1, last: 0, own: true}, run{g: 2, first: last, last: last, own: true}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
