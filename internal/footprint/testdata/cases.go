package cases

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os/user"
	"strings"
	"sync/atomic"
	"time"
)

type inner struct{ n int16 }
type account struct {
	balance int
	owner   *inner
	parts   [2]inner
}

// want: read uint8
func equal(a, b []byte) bool { return bytes.Equal(a, b) }

// want: none
func upper(s string) string { return strings.ToUpper(s) }

// want: none
func sleep() { time.Sleep(1) }

// want: none inward
func sprint(n int, s string) string { return fmt.Sprintf("%d %s", n, s) }

// want: read [2]inner,account,inner,in *inner,in int,in int16 inward
func sprintAccount(a *account) string { return fmt.Sprint(a) }

// want: none | write [2]inner,account,inner,in *inner,in int,in int16
func unmarshal(b string, a *account) { hex.Decode(nil, nil); binary.Read(nil, nil, a) }

// want: read *
func sprintAny(x any) string { return fmt.Sprint(x) }

// want: none inward
func sprintError(err error) string { return fmt.Sprint(err, time.Second) }

// want: read in int64,log/slog.LevelVar,sync/atomic.Int64,sync/atomic.align64,sync/atomic.noCopy
func sprintLevel(l *slog.LevelVar) string { return fmt.Sprint(l) } // its String looks at an atomic, which others may wait for

type levels struct{ of map[string]*slog.LevelVar }

// want: read *log/slog.LevelVar,in int64,log/slog.LevelVar,map[string]*log/slog.LevelVar,string,sync/atomic.Int64,sync/atomic.align64,sync/atomic.noCopy
func sprintLevels(l levels) string { return fmt.Sprint(l) }

// want: none dynamic
func dynamic(f func(any), x any) { f(x) }

// want: write ~ state=os/user
func current() { user.Current() }

type logged struct {
	out *json.Encoder
	any any
}

// want: write ~ encoding/json.Encoder,in []uint8,in bool,in error,in io.Writer,in string,uint8
func encode(e *json.Encoder, x int) { e.Encode(x) }

// want: read *
func sprintLogged(l *logged) { fmt.Sprint(l) }

// want: write [0]*account,[2]inner,account,inner,in *account,in *inner,in Pointer,in int,in int16,sync/atomic.Pointer[account],sync/atomic.noCopy
func own(p *atomic.Pointer[account]) { binary.Read(nil, nil, p) }

// want: write ~ [0]*string,in *string,in Pointer,in int32,in io.Writer,in uint32,internal/sync.Mutex,log.Logger,string,sync.Mutex,sync.noCopy,sync/atomic.Bool,sync/atomic.Int32,sync/atomic.Pointer[string],sync/atomic.noCopy state=log
func logTo(l *log.Logger) { l.Flags() }

// want: write ~ encoding/json.Encoder,in []uint8,in bool,in error,in io.Writer,in string,uint8
func encoder(w io.Writer) { new(json.Encoder).SetIndent("", "") }

type writer struct{ n int }

func (w *writer) Write(p []byte) (int, error) { return 0, nil }

type promoting struct{ io.Writer }

// want: none | none | write ~ | write ~
func copies(r *writer, w io.Writer) {
	io.WriteString(r, "a")
	io.WriteString(&writer{}, "b")
	io.WriteString(promoting{w}, "c")
	io.WriteString(w, "d")
}

// want: write ~ state=* dynamic
func usage() { f := flag.Usage; f() }

var now = time.Now

var put = binary.PutUvarint // its parameters have names

// want: write ~ uint8 state=* dynamic
func putVia(f func([]byte, uint64) int, b []byte) { f(b, 1) }

// want: none dynamic
func stamp() time.Time { return now() }

// want: none | none dynamic
func canceled(ctx context.Context) {
	_, cancel := context.WithCancel(ctx)
	cancel()
}

// want: write int
func as(err error, n *int) { errors.As(err, n) }

type store interface{ put(a *account) }

type sized interface{ Len() int }

// want: none dynamic | write ~ state=* dynamic
func ours(s store, n sized, a *account) {
	s.put(a)
	n.Len()
}

type cell struct {
	pad int8
	on  bool
}

func (c cell) set() bool { return c.on }
func (c *cell) toggle()  { c.on = !c.on }
func (c cell) clear(int) {}

type setter interface{ set() bool }
type toggler interface{ toggle() }
type clearer interface{ clear(int) }

type inside struct {
	n int
	cell
}
type wrapped struct {
	name string
	*time.Location
}
type namer interface{ String() string }

var boxes = []any{&inside{}, &wrapped{}}

// want: none loads=cell,inside,in bool,in int8 dynamic
func valueMethod(s setter) { s.set() }

// want: none dynamic
func pointerMethod(t toggler) { t.toggle() }

// want: write ~ state=* loads=*time.Location,wrapped,in *time.Location dynamic
func promotedMethod(n namer) { n.String() }

// want: none loads=cell,inside,in bool,in int8 dynamic
func methodExpression(c clearer) {
	f := clearer.clear
	f(c, 1)
}

// want: none loads=cell,inside,in bool,in int8 dynamic | none loads=cell,inside,in bool,in int8 dynamic
func methodValue(c clearer, g func(int)) {
	f := c.clear
	f(1)
	g(1)
}

func begin(n *int) func() {
	*n++
	return func() { *n-- }
}

func either(n *int, f func()) (func(), error) {
	if *n == 0 {
		return f, nil
	}
	return begin(n), nil
}

// want: write ** state=* dynamic | none dynamic
func returned(n *int) { defer begin(n)() }

// want: write ** state=* dynamic | none dynamic
func chosen(n *int) {
	f := begin(n)
	if *n > 1 {
		f = func() {}
	}
	defer f()
}

// want: write ** state=* dynamic | write ~ state=* dynamic
func given(n *int, r *account) {
	f, _ := either(n, r.run)
	defer f()
}

func (a *account) run()          {}
func (a *account) with(f func()) { f() }
