package analyse

import (
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// insides are the calls of code that was not instrumented that each goroutine is in. What the kernel does to a buffer is
// recorded without a site; it happens at the innermost of these calls.
type insides [][]insideCall // by GoID

type insideCall struct {
	site  trace.Site
	depth uint64 // of the frame that calls
}

// place gives an access without a site the site of the call that it happens in, if there is one.
func (in *insides) place(e *trace.Event) {
	for int(e.G) >= len(*in) {
		*in = append(*in, nil)
	}
	calls := &(*in)[e.G]
	switch e.Kind {
	case format.OpaqueBegin:
		d := uint64(0)
		if n := len(*calls); n > 0 {
			d = (*calls)[n-1].depth
		}
		*calls = append(*calls, insideCall{e.Site, d})
	case format.OpaqueEnd:
		if n := len(*calls); n > 0 && (*calls)[n-1].site != 0 {
			*calls = (*calls)[:n-1]
		}
	case format.Enter: // a frame of its own, out of which an access is not in the call
		in.leave(calls, e.Aux)
		*calls = append(*calls, insideCall{0, e.Aux})
	case format.Exit:
		in.leave(calls, e.Aux)
	case format.Read, format.Write:
		if n := len(*calls); n > 0 && e.Site == 0 && e.Flags&format.FlagOpaque != 0 {
			e.Site = (*calls)[n-1].site
		}
	}
}

// leave drops what frames of depth d and more called, and these frames.
func (in *insides) leave(calls *[]insideCall, d uint64) {
	for n := len(*calls); n > 0 && (*calls)[n-1].depth >= d; n-- {
		*calls = (*calls)[:n-1]
	}
}
