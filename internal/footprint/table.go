package footprint

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed table.txt
var tableText string

// entry is a line of table.txt.
type entry struct {
	effect   Effect
	state    bool
	receiver bool // only what the receiver reaches
	pointed  bool // only what the arguments point to, not what that leads to
}

// A lines is what table.txt says.
type lines struct {
	entries map[string]entry
	inwards map[string]bool // (F12)
	sees    map[string]Sees // (F15)
}

// table reads table.txt once. A line that cannot be read is our own broken invariant.
var table = sync.OnceValue(func() *lines {
	t, err := parseTable(tableText)
	if err != nil {
		panic("footprint: " + err.Error())
	}
	return t
})

var effects = map[string]entry{
	"none": {effect: None}, "read": {effect: Read}, "args": {effect: Write}, "state": {effect: Write, state: true},
	"direct": {effect: Write, pointed: true}, "recv": {effect: Write, receiver: true},
}

var seen = map[string]Sees{"number": HowMany, "stacks": AllGoroutines}

func parseTable(text string) (*lines, error) {
	t := &lines{entries: map[string]entry{}, inwards: map[string]bool{}, sees: map[string]Sees{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		effect, names, ok := strings.Cut(line, ":")
		e, known := effects[strings.TrimSpace(effect)]
		inward, sees := effect == "inward", seen[effect]
		if !ok || !known && !inward && sees == NoGoroutines {
			return nil, fmt.Errorf("table.txt:%d: want effect: names, have %q", n, line)
		}
		for name := range strings.FieldsSeq(names) {
			if _, twice := t.entries[name]; twice && known || t.inwards[name] || t.sees[name] != NoGoroutines {
				return nil, fmt.Errorf("table.txt:%d: %s stands twice", n, name)
			}
			switch {
			case inward:
				t.inwards[name] = true
			case known:
				t.entries[name] = e
			default:
				t.sees[name] = sees
			}
		}
	}
	return t, nil
}

// common is the hidden state of all code outside the standard library that is not
// instrumented (F6).
const common = "modules"

// lookup returns the entry of a function and its hidden state: its own line, else its
// receiver type's, else its package's, else the default (F6, F7).
func lookup(name, pkg string) (e entry, state string) {
	if pkg == "" {
		return entry{effect: Write, state: true}, AnyState
	}
	state = pkg
	if strings.Contains(first(pkg), ".") {
		state = common
	}
	for _, key := range []string{name, receiver(name), pkg + ".*"} {
		if e, ok := table().entries[key]; ok {
			if !e.state {
				state = ""
			}
			return e, state
		}
	}
	return entry{effect: Write, state: true}, state
}

// inward reports whether a function, all of its receiver's type or all of its package are in a line of inward ones.
func (t *lines) inward(name, pkg string) bool {
	return t.inwards[name] || t.inwards[receiver(name)] || t.inwards[pkg+".*"]
}

// hasEntry reports whether a method has a line of its own.
func hasEntry(name string) bool {
	_, ok := table().entries[name]
	return ok
}

// first is the first element of an import path: with a dot outside the standard library.
func first(pkg string) string {
	name, _, _ := strings.Cut(pkg, "/")
	return name
}

// reflects reports whether a function of the standard library looks by reflection into what its arguments lead to, its own types' interfaces included.
func reflects(name, pkg string) bool {
	top := first(pkg)
	return reflecting[pkg] || reflecting[top]
}

var reflecting = map[string]bool{
	"fmt": true, "encoding": true, "text/template": true, "html/template": true, "reflect": true, "log": true, "log/slog": true,
	"database/sql": true, "net/rpc": true, "expvar": true, "testing": true,
}

// mayRead reports whether functions of package pkg of the standard library, which call nothing that they are given, may read variables that package of exports: whether it imports that package,
// or another one does by which it does.
func mayRead(pkg, of string) bool {
	switch of {
	case "flag":
		return importsFlag[pkg]
	case "time", "os":
		return !withoutTime[pkg]
	}
	return true
}

// importsFlag are the packages of table.txt that import flag, withoutTime some that import neither os nor time.
var (
	importsFlag = map[string]bool{"testing": true, "net/http/httptest": true}
	withoutTime = map[string]bool{
		"strings": true, "bytes": true, "strconv": true, "unicode": true, "unicode/utf8": true, "unicode/utf16": true, "slices": true, "maps": true, "cmp": true, "path": true, "sort": true,
		"math": true, "math/bits": true, "math/cmplx": true, "math/rand": true, "math/rand/v2": true, "errors": true, "regexp": true, "regexp/syntax": true,
		"sync/atomic": true, "runtime": true, "encoding/binary": true, "encoding/base64": true, "hash/crc32": true, "hash/fnv": true, "container/list": true,
	}
)

// receiver turns (*bytes.Buffer).Write into (*bytes.Buffer).*, and bytes.Buffer.Write,
// printed as (bytes.Buffer).Write, likewise.
func receiver(name string) string {
	if i := strings.LastIndex(name, ")."); i >= 0 {
		return name[:i+2] + "*"
	}
	return ""
}

// constant are types of which no variable changes once others can see it. (One of type time.Time or error may.)
var constant = map[string]bool{"time.Location": true, "regexp.Regexp": true, "testing.T": true, "testing.B": true}

// immutable are types of the standard library whose values never change once others
// can see them.
var immutable = map[string]bool{
	"time.Location": true, "*time.Location": true,
	"time.Time": true, "reflect.Type": true, "*regexp.Regexp": true, "regexp.Regexp": true,
	"context.Context": true, "error": true,
	"testing.T": true, "*testing.T": true, "testing.B": true, "*testing.B": true,
}
