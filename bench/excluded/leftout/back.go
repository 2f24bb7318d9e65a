package leftout

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A *stretch* is one call of traced code by the code of an excluded call, until it returns. The
// method depends on reads in a stretch as a walk that knows of the method computes it (package
// walk): by the result, which is what any later event outside the stretch depends on, and by
// memory. The Exit needs these reads. A stretch that does not return, because a panic goes through
// it, is not walked.

// entered is the frame of a function that is entered, on top of list.
func (h *hidden) entered(list []frame, depth uint64) frame {
	f := frame{depth: depth}
	if n := len(list); n > 0 && list[n-1].call == nil {
		f.back = list[n-1].back
	} else if n > 0 {
		f.back, f.first = len(h.exits), true
		h.exits = append(h.exits, 0)
	}
	return f
}

// returns takes the Exit of a frame, event i.
func (h *hidden) returns(f *frame, e *trace.Event, i int) {
	if f.first && f.call == nil && e.Flags&format.FlagPanic == 0 {
		h.exits[f.back] = i
	}
}

// learned is, by event, what of their stretch Exits need besides.
func (h *hidden) learned() map[int][]int64 {
	learned := map[int][]int64{}
	if len(h.exits) == 1 {
		return learned
	}
	for i := range h.all.events {
		f := &h.all.flows[i]
		if exit := h.exits[h.backs[i]]; exit > 0 {
			learned[exit] = append(learned[exit], f.From...)
		}
		for _, x := range slices.Concat(f.Needs, f.From) {
			if back := h.backs[x]; back != h.backs[i] && h.exits[back] > 0 && h.exits[back] < i {
				learned[h.exits[back]] = append(learned[h.exits[back]], x)
			}
		}
	}
	return learned
}
