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

// want: none
func sprint(n int, s string) string { return fmt.Sprintf("%d %s", n, s) }

// want: read [2]inner,account,inner,in *inner,in int,in int16
func sprintAccount(a *account) string { return fmt.Sprint(a) }

// want: none | write [2]inner,account,inner,in *inner,in int,in int16
func unmarshal(b string, a *account) { hex.Decode(nil, nil); binary.Read(nil, nil, a) }

// want: read *
func sprintAny(x any) string { return fmt.Sprint(x) }

// want: none dynamic
func dynamic(f func(any), x any) { f(x) }

// want: write ~ state=os/user
func current() { user.Current() }

type logged struct {
	out *json.Encoder
	any any
}

// want: write ~ encoding/json.Encoder,in []byte,in bool,in error,in io.Writer,in string,uint8
func encode(e *json.Encoder, x int) { e.Encode(x) }

// want: read *
func sprintLogged(l *logged) { fmt.Sprint(l) }

// want: write [0]*account,[2]inner,account,inner,in *account,in *inner,in Pointer,in int,in int16,sync/atomic.Pointer[account],sync/atomic.noCopy
func own(p *atomic.Pointer[account]) { binary.Read(nil, nil, p) }

// want: write ~ [0]*string,in *string,in Pointer,in int32,in io.Writer,in uint32,internal/sync.Mutex,log.Logger,string,sync.Mutex,sync.noCopy,sync/atomic.Bool,sync/atomic.Int32,sync/atomic.Pointer[string],sync/atomic.noCopy state=log
func logTo(l *log.Logger) { l.Flags() }

// want: write ~ encoding/json.Encoder,in []byte,in bool,in error,in io.Writer,in string,uint8
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
