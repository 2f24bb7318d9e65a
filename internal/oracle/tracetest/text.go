package tracetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

func kindName(k format.Kind) string {
	if k == model.Pin {
		return "pin"
	}
	return k.String()
}

// Format prints a window, one line per thing:
//
//	semantics needed
//	threads 3
//	object 0 val=1
//	object 1 writer readers=2 counter=3 once=1 closed
//	object 2 cap=0 queue=7 slotof=1
//	object 3 waiters=0,2+        (thread 2 is notified)
//	0 t1 write o0 val=2 valdeps=..
//	1 t0 send o2 val=7 nb partner=2 cases=o3!,o3?  (a send and a receive)
//	2 t2 recv o2 val=7 deps=.. strict
//	3 t2 write o0 val=8 valdeps=2 value=add(r2,1) guard=lt(r2,9)=1
//	edge 0 2
//	weak 0 2
//	if 3 order 0 2
//
// An event's line starts with its index. Zero operands and a partner of -1 are
// left out. What follows a # is a comment.
func Format(w *model.Window) string {
	var b strings.Builder
	fmt.Fprintf(&b, "semantics %s\nthreads %d\n", w.Semantics, len(w.Threads))
	for o := range w.Init {
		fmt.Fprintf(&b, "object %d%s\n", o, formatObject(&w.Init[o]))
	}
	for i := range w.Events {
		fmt.Fprintf(&b, "%d%s\n", i, formatEvent(&w.Events[i]))
	}
	for _, e := range w.Edges {
		kind := "edge"
		if e.Weak {
			kind = "weak"
		}
		fmt.Fprintf(&b, "%s %d %d\n", kind, e.From, e.To)
	}
	for _, c := range w.Orders {
		fmt.Fprintf(&b, "if %d order %d %d\n", c.If, c.From, c.To)
	}
	return b.String()
}

func formatObject(in *model.ObjState) string {
	var b strings.Builder
	number := func(name string, n int64) {
		if n != 0 {
			fmt.Fprintf(&b, " %s=%d", name, n)
		}
	}
	flag := func(name string, f bool) {
		if f {
			b.WriteString(" " + name)
		}
	}
	number("val", int64(in.Val))
	flag("unknown", in.Unknown)
	flag("writer", in.Writer)
	number("readers", int64(in.Readers))
	number("counter", in.Counter)
	number("once", int64(in.Once))
	number("cap", int64(in.Cap))
	flag("closed", in.Closed)
	if len(in.Queue) > 0 {
		fmt.Fprintf(&b, " queue=%s", join(in.Queue))
	}
	number("slotof", int64(in.SlotOf))
	var ws []string
	for _, q := range in.Waiters {
		s := strconv.Itoa(int(q.Thread))
		if q.Notified {
			s += "+"
		}
		ws = append(ws, s)
	}
	if len(ws) > 0 {
		b.WriteString(" waiters=" + strings.Join(ws, ","))
	}
	return b.String()
}

func join[T any](list []T) string {
	var s []string
	for _, x := range list {
		s = append(s, fmt.Sprint(x))
	}
	return strings.Join(s, ",")
}

// flagNames gives the flags of the kinds of one group, in order of printing.
func flagNames(k format.Kind) map[string]format.Flags {
	switch k {
	case format.Lock, format.Unlock, format.TryFail:
		return map[string]format.Flags{"shared": format.FlagRead, "try": format.FlagTry}
	case format.ChanSend, format.ChanRecv:
		return map[string]format.Flags{"nb": format.FlagNonBlocking, "closed": format.FlagClosed}
	}
	return nil
}

// marks are the boolean operands of an event.
var marks = []struct {
	name string
	of   func(*model.Event) *bool
}{
	{"strict", func(e *model.Event) *bool { return &e.Strict }},
	{"never", func(e *model.Event) *bool { return &e.Never }},
	{"last", func(e *model.Event) *bool { return &e.Last }},
}

func formatEvent(e *model.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, " t%d %s", e.Thread, kindName(e.Kind))
	switch e.Kind {
	case format.Go, format.Join:
		fmt.Fprintf(&b, " t%d", e.Obj)
	case format.Start, format.End, format.SelectDefault, model.Pin:
	default:
		fmt.Fprintf(&b, " o%d", e.Obj)
	}
	if e.Val != 0 {
		fmt.Fprintf(&b, " val=%d", int64(e.Val))
	}
	if e.Aux != 0 {
		fmt.Fprintf(&b, " aux=%d", int64(e.Aux))
	}
	for _, name := range []string{"shared", "try", "nb", "closed"} {
		if f := flagNames(e.Kind)[name]; f != 0 && e.Flags&f != 0 {
			b.WriteString(" " + name)
		}
	}
	for _, m := range marks {
		if *m.of(e) {
			b.WriteString(" " + m.name)
		}
	}
	if e.Partner != -1 {
		fmt.Fprintf(&b, " partner=%d", e.Partner)
	}
	if len(e.Deps) > 0 {
		fmt.Fprintf(&b, " deps=%s", join(e.Deps))
	}
	if len(e.Where) > 0 {
		fmt.Fprintf(&b, " where=%s", join(e.Where))
	}
	if len(e.ValDeps) > 0 {
		fmt.Fprintf(&b, " valdeps=%s", join(e.ValDeps))
	}
	for _, g := range e.Guards {
		fmt.Fprintf(&b, " guard=%s=%d", g.Term, g.Want)
	}
	if e.Value != nil {
		fmt.Fprintf(&b, " value=%s", e.Value)
	}
	var cs []string
	for _, c := range e.Cases {
		dir := "?"
		if c.Send {
			dir = "!"
		}
		cs = append(cs, fmt.Sprintf("o%d%s", c.Chan, dir))
	}
	if len(cs) > 0 {
		b.WriteString(" cases=" + strings.Join(cs, ","))
	}
	return b.String()
}

// A Case is a window with the pairs that race in it.
type Case struct {
	Window *model.Window
	Races  map[model.Pair]bool
}

// Cases reads the files of a directory, each a window followed by a line "race a b"
// for each racing pair. They are named by file.
func Cases(dir string) (map[string]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	cases := map[string]Case{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c := Case{Races: map[model.Pair]bool{}}
		var text strings.Builder
		for line := range strings.Lines(string(data)) {
			var p model.Pair
			if n, _ := fmt.Sscanf(line, "race %d %d", &p.A, &p.B); n == 2 {
				c.Races[p] = true
				line = "\n"
			}
			text.WriteString(line)
		}
		if c.Window, err = Parse(text.String()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		cases[strings.TrimSuffix(filepath.Base(name), ".txt")] = c
	}
	return cases, nil
}

// Parse reads what Format prints.
func Parse(text string) (*model.Window, error) {
	w := &model.Window{}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if err := parseLine(w, f); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", n+1, line, err)
		}
	}
	return w, nil
}

func parseLine(w *model.Window, f []string) error {
	if len(f) < 2 {
		return fmt.Errorf("too short")
	}
	switch f[0] {
	case "semantics":
		for s := model.StrictReads; s <= model.EvaluatedReads; s++ {
			if s.String() == f[1] {
				w.Semantics = s
				return nil
			}
		}
		return fmt.Errorf("unknown semantics")
	case "threads":
		n, err := strconv.Atoi(f[1])
		for t := range n {
			w.Threads = append(w.Threads, trace.GoID(t+1))
		}
		return err
	case "object":
		var in model.ObjState
		err := parseObject(&in, f[2:])
		w.Init = append(w.Init, in)
		return err
	case "edge", "weak":
		e, err := numbers(f[1:])
		if err != nil || len(e) != 2 {
			return fmt.Errorf("edge wants two events: %v", err)
		}
		w.Edges = append(w.Edges, model.Edge{From: e[0], To: e[1], Weak: f[0] == "weak"})
		return nil
	case "if":
		if len(f) != 5 || f[2] != "order" {
			return fmt.Errorf("a conditional order is: if event order event event")
		}
		e, err := numbers([]string{f[1], f[3], f[4]})
		if err != nil {
			return err
		}
		w.Orders = append(w.Orders, model.Conditional{If: e[0], From: e[1], To: e[2]})
		return nil
	}
	if f[0] != strconv.Itoa(len(w.Events)) {
		return fmt.Errorf("event %d expected", len(w.Events))
	}
	e := model.Event{Partner: -1, Index: int64(len(w.Events)), Site: trace.Site(len(w.Events) + 1)}
	err := parseEvent(&e, f[1:])
	w.Events = append(w.Events, e)
	return err
}

func numbers(list []string) ([]int32, error) {
	var ns []int32
	for _, s := range list {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return nil, err
		}
		ns = append(ns, int32(n))
	}
	return ns, nil
}

func parseObject(in *model.ObjState, f []string) (err error) {
	for _, s := range f {
		name, val, _ := strings.Cut(s, "=")
		n, _ := strconv.ParseInt(val, 10, 64)
		switch name {
		case "val":
			in.Val = uint64(n)
		case "unknown":
			in.Unknown = true
		case "writer":
			in.Writer = true
		case "readers":
			in.Readers = int32(n)
		case "counter":
			in.Counter = n
		case "once":
			in.Once = model.OnceState(n)
		case "cap":
			in.Cap = int32(n)
		case "closed":
			in.Closed = true
		case "slotof":
			in.SlotOf = model.Thread(n)
		case "queue":
			for _, v := range strings.Split(val, ",") {
				x, err := strconv.ParseUint(v, 10, 64)
				if err != nil {
					return err
				}
				in.Queue = append(in.Queue, x)
			}
		case "waiters":
			for _, v := range strings.Split(val, ",") {
				t, notified := strings.CutSuffix(v, "+")
				x, err := strconv.Atoi(t)
				if err != nil {
					return err
				}
				in.Waiters = append(in.Waiters, model.Waiter{Thread: model.Thread(x), Notified: notified})
			}
		default:
			return fmt.Errorf("unknown %q", name)
		}
	}
	return nil
}

func parseEvent(e *model.Event, f []string) (err error) {
	if len(f) < 2 {
		return fmt.Errorf("too short")
	}
	t, err := strconv.Atoi(strings.TrimPrefix(f[0], "t"))
	if err != nil {
		return err
	}
	e.Thread = model.Thread(t)
	for k := format.Kind(1); ; k++ {
		if k > model.Pin {
			return fmt.Errorf("unknown kind %q", f[1])
		}
		if kindName(k) == f[1] {
			e.Kind = k
			break
		}
	}
	f = f[2:]
	if len(f) > 0 && !strings.Contains(f[0], "=") && (f[0][0] == 'o' || f[0][0] == 't' && f[0] != "try") {
		n, err := strconv.Atoi(f[0][1:])
		if err != nil {
			return err
		}
		e.Obj = model.Obj(n)
		f = f[1:]
	}
	for _, s := range f {
		if err := parseOperand(e, s); err != nil {
			return err
		}
	}
	return nil
}

// parseMark parses an operand without a value.
func parseMark(e *model.Event, name string) error {
	for _, m := range marks {
		if m.name == name {
			*m.of(e) = true
			return nil
		}
	}
	flag, ok := flagNames(e.Kind)[name]
	if !ok {
		return fmt.Errorf("unknown %q", name)
	}
	e.Flags |= flag
	return nil
}

func parseOperand(e *model.Event, s string) (err error) {
	name, val, isPair := strings.Cut(s, "=")
	if !isPair {
		return parseMark(e, name)
	}
	var n int64
	list := strings.Split(val, ",")
	switch name {
	case "val", "aux", "partner":
		if n, err = strconv.ParseInt(val, 10, 64); err != nil {
			return err
		}
	}
	switch name {
	case "val":
		e.Val = uint64(n)
	case "aux":
		e.Aux = uint64(n)
	case "partner":
		e.Partner = int32(n)
	case "deps":
		e.Deps, err = numbers(list)
	case "where":
		e.Where, err = numbers(list)
	case "valdeps":
		e.ValDeps, err = numbers(list)
	case "guard":
		term, want, _ := strings.Cut(val, "=")
		g := model.Guard{}
		if g.Term, err = parseTerm(term); err == nil {
			g.Want, err = strconv.ParseUint(want, 10, 64)
		}
		e.Guards = append(e.Guards, g)
	case "value":
		e.Value, err = parseTerm(val)
	case "cases":
		for _, c := range list {
			o, err := strconv.Atoi(strings.Trim(c, "o!?"))
			if err != nil {
				return err
			}
			e.Cases = append(e.Cases, model.Case{Chan: model.Obj(o), Send: strings.HasSuffix(c, "!")})
		}
	default:
		return fmt.Errorf("unknown %q", name)
	}
	return err
}
