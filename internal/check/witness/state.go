package witness

import (
	"fmt"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// state is the state of an execution: which events are executed, and what they have left in the
// objects.
type state struct {
	w       *model.Window
	threads [][]int32 // by thread: its events, in program order
	starter []int32   // by thread: the Go event that starts it, or -1
	before  [][]int32 // by event: the events that hard edges put before it
	weakly  [][]int32 // and weak ones

	given [][]int32 // by event: the conditional orders that it is part of
	at    []int32   // by event: how many were executed with it, if there are conditional orders
	ticks int32

	next      []int32     // by thread: how many of its events are executed
	blockedOn []model.Obj // by thread: the channel on which it waits for a receiver, or -1
	done      []bool      // by event: it is executed
	intact    []bool      // by event: a read that returned its recorded value
	seen      []word      // by event: what a read returned
	wrote     []word      // by event: what a write or send left
	objects   []object
}

// object is the state of one object; the fields of its class are in use.
type object struct {
	word // memory

	writer  bool // lock
	readers int32

	counter int64 // WaitGroup

	once model.OnceState

	waiters []model.Waiter // Cond

	capacity int    // channel
	closed   bool   // channel
	queue    []word // channel, capacity > 0: oldest first
	slot     slot   // channel, capacity 0
}

// word is a value in memory or in a channel.
type word struct {
	val   uint64
	known bool  // else val means nothing
	by    int32 // the event that wrote or sent it; -1: none of the window
}

// slot is the place of an unbuffered channel where a sender waits.
type slot struct {
	full bool
	word
	sender  model.Thread
	send    int32 // the send, or -1 if it was before the window
	partner int32 // the only receive that may empty the slot, or -1
}

// newState returns the state at the window's start. It fails if the window is malformed.
func newState(w *model.Window) (*state, error) {
	n := len(w.Threads)
	s := &state{
		w:         w,
		threads:   make([][]int32, n),
		starter:   make([]int32, n),
		before:    make([][]int32, len(w.Events)),
		weakly:    make([][]int32, len(w.Events)),
		next:      make([]int32, n),
		blockedOn: make([]model.Obj, n),
		done:      make([]bool, len(w.Events)),
		intact:    make([]bool, len(w.Events)),
		seen:      make([]word, len(w.Events)),
		wrote:     make([]word, len(w.Events)),
		objects:   make([]object, len(w.Init)),
	}
	for t := range n {
		s.starter[t], s.blockedOn[t] = -1, -1
	}
	for i := range w.Events {
		if err := s.enter(int32(i)); err != nil {
			return nil, err
		}
	}
	for _, e := range w.Edges {
		if e.From < 0 || e.To < 0 || int(e.From) >= len(w.Events) || int(e.To) >= len(w.Events) {
			return nil, &Violation{Rule: "X", Event: -1, Reason: fmt.Sprintf("hard edge %d→%d has no events", e.From, e.To)}
		}
		if e.Weak {
			s.weakly[e.To] = append(s.weakly[e.To], e.From)
		} else {
			s.before[e.To] = append(s.before[e.To], e.From)
		}
	}
	if err := s.enterOrders(); err != nil {
		return nil, err
	}
	for o := range w.Init {
		if err := s.initObject(model.Obj(o)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// enter puts event i into its thread, and records which thread it starts.
func (s *state) enter(i int32) error {
	e := &s.w.Events[i]
	if e.Thread < 0 || int(e.Thread) >= len(s.threads) {
		return s.violation("X", i, "no thread %d", e.Thread)
	}
	s.threads[e.Thread] = append(s.threads[e.Thread], i)
	switch classOf(e.Kind) {
	case onObject:
		if e.Obj < 0 || int(e.Obj) >= len(s.objects) {
			return s.violation("X", i, "no object %d", e.Obj)
		}
	case onThread:
		if e.Obj < 0 || int(e.Obj) >= len(s.threads) {
			return s.violation("X", i, "no thread %d", e.Obj)
		}
	}
	for _, c := range e.Cases {
		if c.Chan < 0 || int(c.Chan) >= len(s.objects) {
			return s.violation("X", i, "no channel %d", c.Chan)
		}
	}
	if err := s.termReads(i); err != nil {
		return err
	}
	if e.Kind == format.Go {
		if s.starter[e.Obj] >= 0 {
			return s.violation("X", i, "thread %d is started twice", e.Obj)
		}
		s.starter[e.Obj] = i
	}
	return nil
}

// initObject gives object o its state at the window's start.
func (s *state) initObject(o model.Obj) error {
	from, to := &s.w.Init[o], &s.objects[o]
	*to = object{
		word:   word{from.Val, !from.Unknown, -1},
		writer: from.Writer, readers: from.Readers,
		counter:  from.Counter,
		once:     from.Once,
		waiters:  append([]model.Waiter(nil), from.Waiters...),
		capacity: int(from.Cap), closed: from.Closed,
	}
	if to.capacity > 0 {
		for _, v := range from.Queue {
			to.queue = append(to.queue, word{v, true, -1})
		}
		return nil
	}
	if len(from.Queue) == 0 {
		return nil
	}
	// (U) A sender is waiting at the start.
	if len(from.Queue) > 1 || from.SlotOf < 0 || int(from.SlotOf) >= len(s.threads) {
		return &Violation{Rule: "X", Event: -1, Reason: fmt.Sprintf("unbuffered channel %d starts with %d elements of thread %d", o, len(from.Queue), from.SlotOf)}
	}
	to.slot = slot{full: true, word: word{from.Queue[0], true, -1}, sender: from.SlotOf, send: -1, partner: -1}
	s.blockedOn[from.SlotOf] = o
	return nil
}
