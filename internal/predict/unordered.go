package predict

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/predict/window"
)

// hbPairs are the pairs of events that hb has found unordered.
type hbPairs struct {
	noted   [][2]int64        // those that were not passed to the builder, by their second event
	current map[[2]int64]bool // those of the current window
}

// maxNoted bounds the memory for the pairs of a whole trace, in pairs.
const maxNoted = 1 << 22

// maxUnordered bounds the memory for the pairs of a window in which everything races.
const maxUnordered = 1 << 20

// pass passes the pairs up to an event on to the builder of windows.
func (x *hbPairs) pass(event int64, to *window.Builder) {
	n := 0
	for ; n < len(x.noted) && x.noted[n][1] <= event; n++ {
		p := x.noted[n]
		to.Unordered(p[0], p[1])
		if len(x.current) < maxUnordered {
			x.current[p] = true
		}
	}
	x.noted = x.noted[n:]
}

// forget drops the pairs that begin before an event.
func (x *hbPairs) forget(before int64) {
	for p := range x.current {
		if p[0] < before {
			delete(x.current, p)
		}
	}
}

// unordered reports whether hb has found two accesses of a window unordered. It has seen none of
// those off the recorded path, whose numbers follow those of the window's events.
func (x *hbPairs) unordered(b *built.Window, p model.Pair) bool {
	if n := int32(len(b.Events)); p.A >= n || p.B >= n {
		return false
	}
	return x.current[[2]int64{b.Events[p.A].Index, b.Events[p.B].Index}]
}
