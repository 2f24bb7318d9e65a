package merge

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// calls pairs the begin and the end of excluded calls, and counts them.
//
// A call that returns has recorded its own MethodEnd. A call that panics, or ends its goroutine,
// has none: its MethodEnd is placed where the function that made the call is left, or where
// another one is entered at its depth.
type calls struct {
	meta   *trace.Meta
	recent *recent
	counts []callCount // by package, from 1
	away   uint64      // time of the goroutines in excluded calls
	time   uint64      // time of the goroutines altogether
}

// openCall is an excluded call that has not ended.
type openCall struct {
	method trace.Addr
	site   trace.Site
	depth  uint64 // of the function that made the call
	stamp  uint64
}

// callCount counts the calls into an excluded package.
type callCount struct {
	calls int
	all   int // of these, calls that reach all of memory
}

// begin notes an excluded call.
func (k *calls) begin(s *stream, r *record, p placed) {
	x := p.e.Obj
	s.calls = append(s.calls, openCall{x, trace.Site(r.site), r.word(0) >> 32, r.stamp})
	for len(k.counts) <= int(x) && int(x) <= len(k.meta.Missing) {
		k.counts = append(k.counts, callCount{})
	}
	if int(x) < len(k.counts) {
		k.counts[x].calls++
		if p.e.Flags&format.FlagAll != 0 {
			k.counts[x].all++
		}
	}
}

// end ends an excluded call by its own record.
func (k *calls) end(s *stream, r *record, p placed) {
	method, depth := r.word(0)&(1<<32-1), r.word(0)>>32
	k.unwind(s, depth+1, p)
	if n := len(s.calls); n == 0 || s.calls[n-1].method != trace.Addr(method) {
		return // a callback panicked and recovered, which has ended the call already
	}
	k.unwind(s, depth, p)
}

// unwind ends the open calls of functions at this depth or deeper.
func (k *calls) unwind(s *stream, depth uint64, p placed) {
	if n := len(s.calls); n > 0 && s.calls[0].depth >= depth && p.from != noStamp {
		k.away += max(p.from, s.calls[0].stamp) - s.calls[0].stamp
	}
	for n := len(s.calls); n > 0 && s.calls[n-1].depth >= depth; n-- {
		x := s.calls[n-1]
		s.calls = s.calls[:n-1]
		p.e = trace.Event{Kind: format.MethodEnd, G: p.e.G, Site: x.site, Obj: x.method}
		k.recent.place(p)
	}
}

// passed adds the time since the last stamp of a goroutine.
func (k *calls) passed(s *stream, r *record) {
	if s.goid == 0 {
		return
	}
	if s.last != 0 {
		k.time += r.stamp - s.last
	}
	s.last = r.stamp
}

// warn states how much of the run was in excluded packages.
func (k *calls) warn() {
	n := 0
	var list []string
	for i, x := range k.counts {
		if n += x.calls; x.calls == 0 {
			continue
		}
		text := fmt.Sprintf("%s %d", k.meta.Missing[i-1].Path, x.calls)
		if x.all > 0 {
			text += fmt.Sprintf(" (of these %d with everything in reach)", x.all)
		}
		list = append(list, text)
	}
	k.meta.Warn("left-out", n, fmt.Sprintf("{{n}} call{{|s}} went to packages that were left out of the trace, with %.3g %% of the goroutines' time: %s", 100*float64(k.away)/max(1, float64(k.time)), strings.Join(list, ", ")))
}
