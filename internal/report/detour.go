package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Detour is how a goroutine leaves its recorded path, as the analysis knows it. In a Spec, event −1
// is its first step, −2 the second.
type Detour struct {
	G         trace.GoID
	Before    int64      // the event in whose place the goroutine goes on with the steps
	Site      trace.Site // of the function that it is in
	Line, Col int        // of Expr: the condition, or with Base the pointer or index
	Expr      string
	Shape     string
	Base      bool
	Was, Is   []uint64 // its value in the recorded run, and in the race
	Steps     []DetourStep
}

// DetourStep is an event that was not recorded.
type DetourStep struct {
	Event trace.Event
	Left  int    // functions of the stack at Before that have returned
	Calls []Call // functions that it is in instead, innermost first
}

// Call is the site of a function and that of its call.
type Call struct{ Func, Site trace.Site }

// addDetour makes the steps of a spec's detour places like the recorded events (RT2), and describes
// the detour. The goroutines that it starts are numbered after the recorded ones.
func (l *Locator) addDetour(s *Spec) *Path {
	d := s.Detour
	if d == nil {
		return nil
	}
	at := l.forks[d.Before]
	p := &Path{
		Goroutine: int(d.G), Position: l.position(d.Site), Func: l.function(d.Site), Expr: d.Expr, Base: d.Base,
		Was: words(d.Was, d.Shape), Is: words(d.Is, d.Shape), Before: d.Before, Steps: []PathStep{},
	}
	p.Line, p.Col = d.Line, d.Col
	p.Source = l.source(p.File, p.Line)
	locks := map[trace.GoID][]held{d.G: slices.Clone(at.locks)}
	started := make(map[trace.GoID]trace.GoID)
	for k, step := range d.Steps {
		e := step.Event
		if g, ok := started[e.G]; ok {
			e.G = g
		}
		stack := l.detourStack(at.stack, &step, e.G != d.G)
		if e.Kind == format.Go {
			e.Obj = trace.Addr(l.start(&e, stack, started))
		} else if n := len(step.Calls); e.G != d.G && n > 0 {
			l.goroutine(e.G).fn = l.function(step.Calls[n-1].Func)
		}
		l.seen[int64(-1-k)] = place{event: e, stack: stack, locks: slices.Clone(locks[e.G])}
		locks[e.G] = relock(locks[e.G], &e)
	}
	for k := range d.Steps { // now the goroutines have their names
		e := l.seen[int64(-1-k)].event
		p.Steps = append(p.Steps, PathStep{Step: l.step(int64(-1-k), &e), Kind: e.Kind.String(), Site: int(e.Site), Object: uint64(e.Obj), Flags: uint8(e.Flags), Size: e.Size})
	}
	return p
}

// start notes the goroutine that a step starts.
func (l *Locator) start(e *trace.Event, stack *frame, started map[trace.GoID]trace.GoID) trace.GoID {
	g := trace.GoID(max(len(l.meta.Goroutines), 2) + len(started))
	started[trace.GoID(e.Obj)] = g
	l.goroutines[g] = &goroutine{parent: e.G, created: stack, site: e.Site}
	return g
}

// detourStack is (RT2): the stack where the path is left, less what has returned, with what was
// called since.
func (l *Locator) detourStack(at *frame, step *DetourStep, started bool) *frame {
	if started {
		at = nil
	}
	for range step.Left {
		if at != nil && !started {
			at = at.outer
		}
	}
	for _, c := range slices.Backward(step.Calls) {
		at = &frame{fn: c.Func, call: c.Site, outer: at}
	}
	return at
}

func relock(locks []held, e *trace.Event) []held {
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Lock:
		return append(slices.Clip(locks), held{e.Obj, read, e.Site, e.Flags})
	case format.Unlock:
		for i := len(locks) - 1; i >= 0; i-- {
			if locks[i].obj == e.Obj && locks[i].read == read {
				return slices.Delete(slices.Clone(locks), i, i+1)
			}
		}
	}
	return locks
}

// words writes a value of several words.
func words(w []uint64, shape string) string {
	if len(w) == 1 {
		return literal(w[0], shape, 8)
	}
	out := "{"
	for i, x := range w {
		if i > 0 {
			out += ", "
		}
		out += literal(x, "", 8)
	}
	return out + "}"
}

// literal writes the bits of a value of a shape as Go does. Without a shape, what cannot be a small
// number is shown as an address is.
func literal(bits uint64, shape string, size uint16) string {
	switch shape {
	case "bool":
		return strconv.FormatBool(bits&1 != 0)
	case "int8":
		return strconv.Itoa(int(int8(bits)))
	case "int16":
		return strconv.Itoa(int(int16(bits)))
	case "int32", "rune":
		return strconv.Itoa(int(int32(bits)))
	case "int", "int64":
		return strconv.FormatInt(int64(bits), 10)
	case "uint8", "byte", "uint16", "uint32", "uint", "uint64", "uintptr":
		return strconv.FormatUint(bits, 10)
	case "float32":
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case "float64":
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case "pointer":
		if bits == 0 {
			return "nil"
		}
		return "0x" + strconv.FormatUint(bits, 16)
	}
	switch {
	case size < 8 || bits < 1<<32:
		return strconv.FormatUint(bits, 10)
	case int64(bits) < 0 && int64(bits) > -1<<32:
		return strconv.FormatInt(int64(bits), 10)
	}
	return "0x" + strconv.FormatUint(bits, 16)
}
