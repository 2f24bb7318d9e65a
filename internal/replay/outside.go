package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Accesses of outside code as steps (RP2). A trace has few of those that a program executes:
// of a turn of a goroutine at a word of memory the first and the last. So it does not say how
// many accesses of the same place come before one.

// outsidePlace is where outside code makes an access: its gate.
type outsidePlace struct {
	fn, file string
	line     int
	write    bool
}

// key is the number of a place, as the gates know it (presagePlace in
// internal/record/recorder/_gates/runtime/presage_outside.go); 0 of nil.
func (p *outsidePlace) key() uint64 {
	if p == nil {
		return 0
	}
	k := uint64(p.line) << 1
	if p.write {
		k++
	}
	return mix(nameHash(p.fn) + k)
}

// pkg is the import path of the package whose function it is in.
func (p *outsidePlace) pkg() string {
	name, _, _ := strings.Cut(p.fn, "[")
	name, _, _ = strings.Cut(name, "(")
	slash := strings.LastIndexByte(name, '/') + 1
	last, _, _ := strings.Cut(name[slash:], ".")
	out, err := url.PathUnescape(name[:slash] + last)
	if err != nil {
		return name[:slash] + last
	}
	return strings.TrimSuffix(out, "_test")
}

func (p *outsidePlace) kind() format.Kind {
	if p.write {
		return format.Write
	}
	return format.Read
}

func (p *outsidePlace) String() string {
	return fmt.Sprintf("%s, %s:%d", p.fn, filepath.Base(p.file), p.line)
}

// noSite is the site of a step of outside code: of no gate.
const noSite = trace.Site(1 << 31)

// passage is an execution of an instruction with a gate.
type passage struct {
	i         int64
	site      trace.Site // 0: there was none
	kind      format.Kind
	skip, nth uint64
	flags     uint8
	steps     int // there were before it, of all goroutines
}

// syncs reports whether an event begins a new context of its goroutine: the late records before
// it are of another one (ME8).
func syncs(k format.Kind) bool {
	switch k {
	case format.Read, format.Write, format.MethodBegin, format.MethodEnd, format.ReachSet, format.Reach, format.ReachGo, format.Alloc:
		return false
	}
	return !k.IsControl()
}

// begins notes that a context begins.
func (s *goState) begins() { s.context = s.gate }

// outside makes a step of an access of outside code, if it is one of the race. It comes behind
// a step at the last gate before it, from which its passages are counted. Of a late access the
// place in its context is not known: it comes behind the last gate before the context, and what
// else its goroutine does in the context are no steps.
func (k *walker) outside(s *goState, i int64, e *trace.Event) {
	if i != k.pair[0] && i != k.pair[1] {
		return
	}
	info := k.meta.SiteInfo(e.Site)
	p := &outsidePlace{line: int(info.Line), write: e.Kind == format.Write}
	if int(info.Func) < len(k.meta.Funcs) {
		p.fn = k.meta.Funcs[info.Func].Name
	}
	if info.File >= 0 && int(info.File) < len(k.meta.Files) {
		p.file = k.meta.Files[info.File].Name
	}
	if p.line == 0 || p.fn == "" {
		k.err = fmt.Errorf("an access of the race was made by outside code of which the recording has no function and line")
		return
	}
	from := s.gate
	if e.Flags&format.FlagLate != 0 {
		from = s.context
		for n := from.steps; n < len(k.steps); n++ {
			if st := &k.steps[n]; trace.GoID(st.gate) == e.G && st.index > from.i {
				st.flags |= dropped
			}
		}
	}
	known := slices.ContainsFunc(k.steps[from.steps:], func(st step) bool {
		return trace.GoID(st.gate) == e.G && st.site == from.site && st.flags&dropped == 0
	})
	if from.site != 0 && !known {
		if key, ok := k.at(from.i); ok {
			k.steps = append(k.steps, step{gate: int(e.G), site: from.site, flags: from.flags, skip: from.skip, nth: from.nth, pair: -1,
				index: from.i, key: key, kind: from.kind})
		}
	}
	key, _ := k.at(i)
	s.at = len(k.steps)
	clear(s.since)
	k.steps = append(k.steps, step{gate: int(e.G), site: noSite, place: p, flags: outside, pair: -1,
		index: i, key: key, kind: e.Kind, eflag: e.Flags, obj: e.Obj})
}

// gather takes out of the steps of a recorded run, which end in an access of the race, those
// that come after the other access, a, in the order of its goroutine or of synchronisation, and
// puts a in front of the last one. What is left is all that both accesses need, because they
// are not ordered.
func gather(steps []step, a int) []step {
	last := len(steps) - 1
	after := map[int]bool{steps[a].gate: true} // goroutines
	objects := map[trace.Addr]bool{}
	left := map[int]bool{}
	for i := a + 1; i < last; i++ {
		st := &steps[i]
		sync := !st.kind.IsAccess() || st.kind.IsAtomic()
		if !after[st.gate] && !(sync && objects[st.obj]) || st.gate == steps[last].gate {
			continue
		}
		left[i], after[st.gate] = true, true
		if sync && st.obj != 0 {
			objects[st.obj] = true
		}
		if st.kind == format.Go {
			after[int(st.obj)] = true
		}
	}
	out := make([]step, 0, len(steps))
	for i := range steps {
		if i != a && i != last && !left[i] {
			out = append(out, steps[i])
		}
	}
	return append(out, steps[a], steps[last])
}

// isOutside reports whether an access of the race is made by outside code.
func (s *schedule) isOutside() bool {
	n := len(s.steps)
	return (s.steps[n-1].flags|s.steps[s.steps[n-1].pair].flags)&outside != 0
}

var errNoHooks = errors.New("an access of the race was made by code without gates: the hooks of the race detector are the gates of outside code, and there is no C compiler, so no race detector")

// lines are where the accesses of the race are. Those of outside code are known by their
// functions.
func (s *schedule) lines(a, b Line) (Line, Line) {
	n := len(s.steps)
	x, y := s.steps[s.steps[n-1].pair].place, s.steps[n-1].place
	switch {
	case x != nil && y != nil:
		return x.Line(), y.Line()
	case x == nil && y == nil:
		return a, b
	case x == nil:
		x = y
	}
	if x.file == b.File && x.line == b.Line {
		return a, x.Line()
	}
	return x.Line(), b
}

// Line is the place as the judge knows it.
func (p *outsidePlace) Line() Line { return Line{File: p.file, Line: p.line, Func: p.fn} }

// where names the place of a step.
func (st *step) where(meta *trace.Meta) string {
	if st.place != nil {
		return st.place.String()
	}
	return place(meta, st.site)
}

// crossing says at which passages of the places of the pair both goroutines come to one
// address, counted from 0.
type crossing struct{ a, b uint64 }

// look runs the program once without holding what outside code accesses, and finds the passages
// of the two accesses at which both goroutines come to one place in memory (RP2). If the run
// meets the race, it does so without a schedule that holds the accesses: that is not taken for
// an answer.
func (p *Program) look(ctx context.Context, s *schedule, r Race, bin, pkg string, out *Outcome) ([]crossing, error) {
	if !s.isOutside() {
		return nil, nil
	}
	p.cfg.Progress("looking where the accesses of " + r.ID + " meet")
	t, err := p.try(ctx, s, r, variant{looks: true, level: frozen, limit: p.cfg.Limit.Nanoseconds()}, bin, pkg)
	if err != nil {
		return nil, err
	}
	out.Look = t
	n := len(s.steps)
	return meetings(t.end.passagesOf(s, s.steps[n-1].pair), t.end.passagesOf(s, n-1)), nil
}

// passagesOf are the addresses of an access of the pair: of outside code those of all passages,
// else the one.
func (st *state) passagesOf(s *schedule, k int) []span {
	if s.steps[k].place == nil {
		return []span{{st.steps[k].addr, st.steps[k].size}}
	}
	return st.logs[st.which(k, s.steps[k].pair, k)]
}

// meetings are the passages of overlapping memory, those of fewest passages first. An address
// of 0 is not known.
func meetings(a, b []span) (out []crossing) {
	for i, x := range a {
		for j, y := range b {
			if x.addr == 0 || y.addr == 0 || x.addr < y.addr+y.size && y.addr < x.addr+x.size {
				out = append(out, crossing{uint64(i), uint64(j)})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y crossing) int { return cmp.Compare(x.a+x.b, y.a+y.b) })
	return out
}

// meetAt has the two accesses of the pair meet at the nth of the passages that were seen, or
// the last.
func (s *schedule) meetAt(list []crossing, n int) {
	if len(list) == 0 {
		return
	}
	m := list[min(n, len(list)-1)]
	last := len(s.steps) - 1
	for k, skip := range map[int]uint64{s.steps[last].pair: m.a, last: m.b} {
		if st := &s.steps[k]; st.place != nil {
			st.skip = skip
		}
	}
}

// unheld says what could not be held in a try that did not confirm the race.
func (s *schedule) unheld(st *state, t *Try) string {
	if t.Confirmed || st.missed == 0 {
		return ""
	}
	return plural.Text(st.missed, "; {{n}} access{{|es}} of outside code {{was|were}} not held, because the runtime cannot preempt a goroutine there")
}

// detectorOptions are the race detector's, but for the file of its log, which they end in. An
// operation of outside code has several races at one address: each is reported.
func detectorOptions(s *schedule) string {
	text := "history_size=3 atexit_sleep_ms=0 "
	if s.isOutside() {
		text += "suppress_equal_addresses=0 suppress_equal_stacks=0 "
	}
	return text + "log_path="
}
