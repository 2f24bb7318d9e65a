package report

import (
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// witness describes the schedule of a race by its synchronisation and its accesses to the location
// of the race, with their source lines. All other events happen as recorded, and do not help a
// reader.
func (l *Locator) witness(n int) *Witness {
	s := &l.specs[n]
	if s.Order == nil {
		return nil
	}
	w := &Witness{Semantics: s.Semantics, From: s.From, Events: s.Events, Order: s.Order, Steps: []Step{}}
	a, b := l.seen[s.A].event, l.seen[s.B].event
	obj := a.Obj
	shown := make(map[int64]bool) // what is explained, and what explains it
	for _, x := range s.Seen {
		shown[x.Read] = true
		if !x.Initial {
			shown[x.Write] = true
		}
	}
	w.Reads = l.sights(n)
	for n, i := range s.Order {
		e := l.seen[i].event
		step := l.step(i, &e)
		switch {
		case n >= len(s.Order)-2, i < 0, shown[i]:
		case step.File == "", !isSync(e.Kind) && !(e.Kind.IsAccess() && (e.Obj == obj || e.Kind.IsAtomic())):
			continue
		case e.Flags&format.FlagOpaque != 0 && e.G != a.G && e.G != b.G:
			continue
		}
		step.Held = lockNames(l.locks(l.seen[i].locks))
		w.Steps = append(w.Steps, step)
	}
	if extra := len(w.Steps) - max(min(MaxSteps, allSteps-l.steps), shownSteps); extra > 0 {
		w.Steps, w.Omitted = slices.Clone(w.Steps[extra:]), extra
	}
	l.steps += len(w.Steps)
	return w
}

func isSync(k format.Kind) bool {
	switch k {
	case format.Lock, format.Unlock, format.TryFail, format.WGAdd, format.WGWait,
		format.OnceBegin, format.OnceEnd, format.OncePass,
		format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast,
		format.ChanSend, format.ChanRecv, format.ChanClose, format.SelectDefault,
		format.Go, format.Start, format.End, format.Join:
		return true
	}
	return false
}

func (l *Locator) step(i int64, e *trace.Event) Step {
	pos := l.position(e.Site)
	return Step{Event: i, Goroutine: int(e.G), Position: pos, Func: l.function(e.Site), Text: l.describe(e), Source: l.source(pos.File, pos.Line), OffPath: i < 0}
}

// describe says in words what an event does.
func (l *Locator) describe(e *trace.Event) string {
	read, try := e.Flags&format.FlagRead != 0, e.Flags&format.FlagTry != 0
	if e.Kind.IsAccess() {
		return strings.TrimSpace(accessVerb(e.Kind) + " " + l.expr(e)) // "" of outside code
	}
	if e.Kind == format.MethodBegin || e.Kind == format.MethodEnd {
		return missingVerb(e.Kind) + l.MethodName(e.Obj)
	}
	if e.Kind == format.OpaqueBegin || e.Kind == format.OpaqueEnd {
		return pick(e.Kind == format.OpaqueBegin, "calls", "returns from") + " code that is not in the trace"
	}
	return syncVerb(e.Kind, read, try, e.Flags&format.FlagClosed != 0, int64(e.Val)) + l.objectOf(e)
}

func accessVerb(k format.Kind) string {
	switch k {
	case format.Read:
		return "reads"
	case format.Write:
		return "writes"
	case format.AtomicRead:
		return "atomically reads"
	case format.AtomicWrite:
		return "atomically writes"
	}
	return "atomically updates"
}

func syncVerb(k format.Kind, read, try, closed bool, val int64) string {
	switch k {
	case format.Lock:
		return pick(try, "tries and ", "") + pick(read, "read-locks", "locks")
	case format.Unlock:
		return pick(read, "read-unlocks", "unlocks")
	case format.TryFail:
		return "finds locked"
	case format.WGAdd:
		return pick(val < 0, "calls Done of", "calls Add of")
	case format.WGWait:
		return "returns from Wait of"
	case format.OnceBegin:
		return "begins Do of"
	case format.OnceEnd:
		return "ends Do of"
	case format.OncePass:
		return "passes Do of"
	case format.CondWait:
		return "waits on"
	case format.CondWake:
		return "wakes up on"
	case format.CondSignal:
		return "signals"
	case format.CondBroadcast:
		return "broadcasts"
	case format.ChanSend:
		return "sends on"
	case format.ChanRecv:
		return pick(closed, "finds closed", "receives from")
	case format.ChanClose:
		return "closes"
	case format.SelectDefault:
		return "takes the default of a select"
	case format.Go:
		return "starts"
	case format.Start:
		return "starts"
	case format.End:
		return "ends"
	case format.Join:
		return "joins"
	case format.Acquire:
		return "acquires"
	case format.Release, format.ReleaseMerge:
		return "releases"
	}
	return k.String()
}

func (l *Locator) objectOf(e *trace.Event) string {
	switch e.Kind {
	case format.Start, format.End, format.SelectDefault:
		return ""
	case format.Go, format.Join:
		return " " + goroutineName(l.who(trace.GoID(e.Obj)))
	}
	return " " + l.name(e.Obj, e.Site, e.Flags)
}

func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

// operand reduces the call or operation at a synchronisation site to the object it
// acts on: "c.mu.Lock()" is c.mu, "<-ch" and "ch <- x" are ch.
func operand(expr string) string {
	expr = strings.TrimPrefix(strings.TrimSpace(expr), "<-")
	if ch, _, ok := strings.Cut(expr, "<-"); ok {
		return strings.TrimSpace(ch)
	}
	if inner, ok := strings.CutPrefix(expr, "close("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	if i := strings.LastIndexByte(expr, '('); i > 0 && strings.HasSuffix(expr, ")") {
		expr = expr[:i]
		if dot := strings.LastIndexByte(expr, '.'); dot > 0 {
			return expr[:dot]
		}
	}
	return expr
}
