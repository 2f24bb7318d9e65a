package report

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// goTraceHandler writes the schedules of races as an execution trace, for go tool trace.
//
// A race is a task, and a step of its schedule runs for a microsecond on one processor: its
// goroutine starts, logs what it does, and yields. Goroutines have new numbers, so that those of
// different races are different. Between two races there is a millisecond.
//
// # Format
//
// The trace has the format of Go 1.21, which later versions read, in one batch of events:
//
//	| "go 1.21 trace\0\0\0" | batch | string… | stack… | event… | frequency |
//
// An event is a byte (its type, and the number of its arguments from bit 6 on), the time since the
// event before, and the arguments, all numbers as varints. Three arguments or more have their
// length in bytes before the time.
type goTraceHandler struct{ gathered }

// NewGoTrace returns a Handler that writes an execution trace for go tool trace.
func NewGoTrace(w io.Writer, o TextOptions) Handler { return &goTraceHandler{gathered{w: w, o: o}} }

// The types of the events that are written.
const (
	goTraceBatch      = 1
	goTraceFrequency  = 2
	goTraceStack      = 3
	goTraceGomaxprocs = 4
	goTraceProcStart  = 5
	goTraceGoCreate   = 13
	goTraceGoStart    = 14
	goTraceGoSched    = 17
	goTraceString     = 37
	goTraceTask       = 45
	goTraceTaskEnd    = 46
	goTraceLog        = 48
)

// goTrace is a trace while it is written. Times are in microseconds.
type goTrace struct {
	out     bytes.Buffer
	strings map[string]uint64
	stacks  map[Frame]uint64
	turns   map[uint64]uint64 // of goroutines, how often each has run
	after   uint64            // the time from the last event to the next one
}

// Summary writes all of the report.
func (h *goTraceHandler) Summary(*Summary) error {
	t := &goTrace{strings: map[string]uint64{}, stacks: map[Frame]uint64{}, turns: map[uint64]uint64{}}
	t.out.WriteString("go 1.21 trace\x00\x00\x00")
	t.out.WriteByte(goTraceBatch | 1<<6)
	t.numbers(0, 0)
	t.event(goTraceProcStart, 1)
	t.event(goTraceGomaxprocs, 1, 0)
	task, last := uint64(0), uint64(0)
	for _, f := range h.findings {
		if f.Witness == nil || len(f.Witness.Steps) == 0 {
			continue
		}
		task++
		last = h.race(t, f, task, last)
		t.after = 1000
	}
	t.out.WriteByte(goTraceFrequency)
	t.numbers(1_000_000)
	_, err := h.w.Write(t.out.Bytes())
	return err
}

// race writes the schedule of a race as a task. Its goroutines have numbers above last; it returns
// the highest one.
func (h *goTraceHandler) race(t *goTrace, f *finding, task, last uint64) uint64 {
	ids := map[int]uint64{}
	for i := range f.Witness.Steps {
		s := &f.Witness.Steps[i]
		if ids[s.Goroutine] == 0 {
			last++
			ids[s.Goroutine] = last
			t.event(goTraceGoCreate, last, t.stack(Frame{Func: h.goroutine(f, s.Goroutine)}), 0)
		}
	}
	category := t.string("step")
	for i := range f.Witness.Steps {
		s := &f.Witness.Steps[i]
		g := ids[s.Goroutine]
		at := Frame{s.Func, s.Position}
		at.File, _ = h.relative(s.File)
		stack := t.stack(at)
		t.turns[g]++
		t.event(goTraceGoStart, g, t.turns[g])
		if i == 0 {
			t.event(goTraceTask, task, 0, t.string(fmt.Sprintf("race %s on %s (%s)", f.ID, nameOf(f.Object, &f.A), f.level())), stack)
		}
		text := fmt.Sprintf("goroutine %d %s at %s: %s", s.Goroutine, s.Text, h.place(s.Position), s.Source)
		if i >= len(f.Witness.Steps)-2 {
			text = "RACE: " + text
		}
		t.event(goTraceLog, task, category, stack)
		text = clip(text, htmlName)
		t.numbers(uint64(len(text)))
		t.out.WriteString(text)
		if i == len(f.Witness.Steps)-1 {
			t.event(goTraceTaskEnd, task, stack)
		}
		t.after = 1
		t.event(goTraceGoSched, stack)
	}
	return last
}

// goroutine is the name of a goroutine: that of its function, if it has an access of the race.
func (h *goTraceHandler) goroutine(f *finding, id int) string {
	for _, a := range []*Access{&f.A, &f.B} {
		if a.Goroutine.ID == id {
			return briefName(a.Goroutine)
		}
	}
	return goroutineName(Goroutine{ID: id})
}

// event writes an event with its arguments.
func (t *goTrace) event(kind byte, args ...uint64) {
	var body []byte
	for _, v := range append([]uint64{t.after}, args...) {
		body = binary.AppendUvarint(body, v)
	}
	t.after = 0
	t.out.WriteByte(kind | byte(min(len(args), 3))<<6)
	if len(args) >= 3 {
		t.numbers(uint64(len(body)))
	}
	t.out.Write(body)
}

func (t *goTrace) numbers(list ...uint64) {
	for _, v := range list {
		t.out.Write(binary.AppendUvarint(nil, v))
	}
}

// string writes a text, if it is new, and returns its number. The empty text is number 0.
func (t *goTrace) string(s string) uint64 {
	if s = clip(s, htmlName); s == "" {
		return 0
	}
	id := t.strings[s]
	if id == 0 {
		id = uint64(len(t.strings) + 1)
		t.strings[s] = id
		t.out.WriteByte(goTraceString)
		t.numbers(id, uint64(len(s)))
		t.out.WriteString(s)
	}
	return id
}

// stack writes a stack of one frame, if it is new, and returns its number, which is also its
// program counter.
func (t *goTrace) stack(f Frame) uint64 {
	id := t.stacks[f]
	if id == 0 {
		fn, file := t.string(f.Func), t.string(f.File)
		id = uint64(len(t.stacks) + 1)
		t.stacks[f] = id
		var body []byte
		for _, v := range []uint64{id, 1, id, fn, file, uint64(max(f.Line, 0))} {
			body = binary.AppendUvarint(body, v)
		}
		t.out.WriteByte(goTraceStack | 3<<6)
		t.numbers(uint64(len(body)))
		t.out.Write(body)
	}
	return id
}
