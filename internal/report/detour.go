package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Detour is how a goroutine leaves its recorded path, as the analysis knows it. The steps of all
// detours of a Spec are events −1, −2, and so on.
type Detour struct {
	G      trace.GoID
	Before int64 // the event in whose place the goroutine goes on with the steps
	// Ended says that the goroutine goes on where the recorded run ended. Other says that an
	// operation of synchronisation, Expr, has another outcome. In both cases there is no condition.
	Ended, Other bool
	Site         trace.Site // of the function that it is in
	// Timer says that a timer starts the goroutine, which the recorded run does not have: By has
	// started the timer in the event Armed.
	Timer bool
	By    trace.GoID
	Armed int64
	// of Expr: the condition, or with Base the pointer or index; 0: those of Site
	Line, Col int
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
	Case  int    // of a select: the number of its case
	Calls []Call // functions that it is in instead, innermost first
}

// Call is the site of a function and that of its call.
type Call struct{ Func, Site trace.Site }

// addDetours makes the steps of a spec's detours places like the recorded events (RT2), and
// describes the detours. The goroutines that they start are numbered after the recorded ones.
func (l *Locator) addDetours(s *Spec) (paths []*Path) {
	first := int64(-1)
	started := make(map[trace.GoID]trace.GoID)
	for i := range s.Detours {
		paths = append(paths, l.addDetour(&s.Detours[i], first, started))
		first -= int64(len(s.Detours[i].Steps))
	}
	return paths
}

// addDetour adds one detour. Its first step has the number first, the next ones are below it.
func (l *Locator) addDetour(d *Detour, first int64, started map[trace.GoID]trace.GoID) *Path {
	at := l.leaves(d)
	g := d.G
	if d.Timer {
		armed := l.seen[d.Armed]
		armed.event.Obj = trace.Addr(d.G)
		g = l.start(&armed.event, armed.stack, started)
		l.goroutine(g).fn = l.function(d.Site)
	}
	p := &Path{
		Goroutine: int(g), Timer: d.Timer, Position: l.position(d.Site), Func: l.function(d.Site), Expr: d.Expr, Base: d.Base,
		Ended: d.Ended, Before: d.Before, Steps: []PathStep{},
	}
	switch {
	case d.Ended:
	case d.Other && len(d.Steps) > 0:
		p.Outcome = outcome(&d.Steps[0].Event, d.Steps[0].Case)
	default:
		p.Was, p.Is = words(d.Was, d.Shape), words(d.Is, d.Shape)
	}
	if d.Line != 0 {
		p.Line, p.Col = d.Line, d.Col
	}
	p.Source = l.source(p.File, p.Line)
	locks := map[trace.GoID][]held{g: slices.Clone(at.locks)}
	for k, step := range d.Steps {
		e := step.Event
		if g, ok := started[e.G]; ok {
			e.G = g
		}
		stack := l.detourStack(at.stack, &step, e.G != g)
		if e.Kind == format.Go {
			e.Obj = trace.Addr(l.start(&e, stack, started))
		} else if n := len(step.Calls); e.G != g && n > 0 {
			l.goroutine(e.G).fn = l.function(step.Calls[n-1].Func)
		}
		l.seen[first-int64(k)] = place{event: e, stack: stack, locks: slices.Clone(locks[e.G])}
		locks[e.G] = relock(locks[e.G], &e)
	}
	for k := range d.Steps { // now the goroutines have their names
		e := l.seen[first-int64(k)].event
		p.Steps = append(p.Steps, PathStep{Step: l.step(first-int64(k), &e), Kind: e.Kind.String(), Site: int(e.Site), Object: uint64(e.Obj), Flags: uint8(e.Flags), Size: e.Size, Case: d.Steps[k].Case})
	}
	return p
}

// outcome says in words how an operation turns out that makes an event, or a step with a case.
func outcome(e *trace.Event, number int) string {
	switch {
	case format.IsPoolWord(e.Obj):
		return "takes an object that was put"
	case format.IsMapWord(e.Obj) && e.Kind == format.AtomicRead:
		return "finds something else for the key"
	case format.IsMapWord(e.Obj):
		return "changes what the map has for the key"
	}
	switch e.Kind {
	case format.Go:
		return "comes after the timer has fired"
	case format.AtomicRMW, format.Lock:
		return "succeeds"
	case format.AtomicRead, format.TryFail:
		return "fails"
	case format.ChanRecv:
		return pick(e.Flags&format.FlagClosed != 0, "finds the channel closed", "receives")
	case format.ChanSend:
		return "sends"
	case format.SelectDefault:
		return "takes the default"
	case format.Block:
		if e.Flags&format.FlagTimer != 0 {
			return pick(number > 0, "comes after the timer has fired", "comes before the timer fires")
		}
		return "receives from a timer"
	case format.OnceBegin:
		return "calls the function"
	case format.OncePass:
		return "finds the function called"
	}
	return "is another operation"
}

// leaves returns the stack and the locks of a goroutine where a detour begins. If the recorded run
// ended there, these are the ones after the whole trace. A goroutine that had no event by then is
// at the beginning of its function.
func (l *Locator) leaves(d *Detour) place {
	if !d.Ended {
		return l.forks[d.Before]
	}
	g := l.goroutine(d.G)
	if g.stack == nil {
		return place{stack: &frame{fn: d.Site}}
	}
	return place{stack: g.stack, locks: g.locks}
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
