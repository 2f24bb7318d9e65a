package raw

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Synthetic addresses, for objects with a symbolic name: far from those a Go
// program has and from those a test would write as a number.
const (
	firstObject = 1 << 52
	objectSpan  = 64
)

// maxTable bounds the index of a table's entry, and the number of a named goroutine.
const maxTable = 1 << 24

var kinds = func() map[string]format.Kind {
	m := make(map[string]format.Kind)
	for k := range format.Max {
		if k.Valid() {
			m[k.String()] = k
		}
	}
	return m
}()

// hasObj reports whether events of kind k have an object in their second place.
func hasObj(k format.Kind) bool {
	return !k.IsControl() && k != format.End && k != format.SelectDefault
}

// isGo reports whether the object of kind k is a goroutine.
func isGo(k format.Kind) bool {
	return k == format.Go || k == format.Start || k == format.Join || k == format.ReachGo
}

func isChan(k format.Kind) bool { return k >= format.ChanSend && k <= format.SelectDefault }

var flagNames = [8]string{"read", "try", "closed", "write", "more", "novalue", "opaque", "panic"}

var flags = map[string]format.Flags{
	"read": format.FlagRead, "try": format.FlagTry, "nonblocking": format.FlagNonBlocking,
	"closed": format.FlagClosed, "write": format.FlagWrite, "more": format.FlagMore,
	"unexplained": format.FlagUnexplained, "novalue": format.FlagNoValue, "opaque": format.FlagOpaque, "panic": format.FlagPanic, "stack": format.FlagStack, "zero": format.FlagZero, "first": format.FlagFirst, "shared": format.FlagShared, "all": format.FlagAll, "seen": format.FlagSeen, "gone": format.FlagGone, "direct": format.FlagDirect, "text": format.FlagText, "typed": format.FlagTyped, "late": format.FlagLate, "pool": format.FlagPool, "timer": format.FlagTimer,
}

// flagName returns the name of bit i of the flags of an event of kind k.
func flagName(k format.Kind, i int) string {
	switch f := format.Flags(1) << i; {
	case f == format.FlagUnexplained && k.IsAccess():
		return "unexplained"
	case f == format.FlagZero && k == format.Alloc:
		return "zero"
	case f == format.FlagFirst && k == format.Alloc:
		return "first"
	case f == format.FlagShared && k == format.Alloc:
		return "shared"
	case f == format.FlagAll && k == format.MethodBegin:
		return "all"
	case f == format.FlagSeen && k == format.MethodBegin:
		return "seen"
	case f == format.FlagGone && k == format.Reach:
		return "gone"
	case f == format.FlagDirect && (k == format.OpaqueBegin || k == format.Enter):
		return "direct"
	case f == format.FlagTyped && k == format.Exit:
		return "typed"
	case f == format.FlagText && k == format.Read:
		return "text"
	case f == format.FlagLate && (k == format.Read || k == format.Write):
		return "late"
	case f == format.FlagTimer && k == format.ReleaseMerge:
		return "timer"
	case f == format.FlagPool && (k == format.Acquire || k == format.ReleaseMerge):
		return "pool"
	case f == format.FlagNonBlocking && isChan(k):
		return "nonblocking"
	case f == format.FlagStack && (k.IsAccess() || k == format.Alloc):
		return "stack"
	}
	return flagNames[i]
}

// names resolves names while a trace is read.
type names struct {
	meta  *trace.Meta
	gos   map[string]trace.GoID
	objs  map[string]trace.Addr
	sites map[string]trace.Site
	lastG trace.GoID // largest in use
	nObj  int        // synthetic addresses given
}

func newNames() names {
	return names{&trace.Meta{}, map[string]trace.GoID{}, map[string]trace.Addr{}, map[string]trace.Site{}, 0, 0}
}

// goNumber returns the number of a goroutine written as g and a number.
func goNumber(s string) (trace.GoID, bool) {
	if len(s) < 2 || s[0] != 'g' || s[1] < '0' || s[1] > '9' || len(s) > 2 && s[1] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(s[1:], 10, 32)
	return trace.GoID(n), err == nil
}

func (n *names) goroutine(s string) (trace.GoID, error) {
	if g, ok := goNumber(s); ok {
		n.lastG = max(n.lastG, g)
		return g, nil
	}
	if g, ok := n.gos[s]; ok {
		return g, nil
	}
	if !isGoName(s) {
		return 0, fmt.Errorf("%q is not a goroutine", s)
	}
	if n.lastG >= maxTable {
		return 0, fmt.Errorf("no number is left for goroutine %s", s)
	}
	n.lastG++
	n.gos[s] = n.lastG
	n.meta.Goroutines = grow(n.meta.Goroutines, int(n.lastG))
	n.meta.Goroutines[n.lastG].Name = s
	return n.lastG, nil
}

func (n *names) object(s string) (trace.Addr, error) {
	if s[0] >= '0' && s[0] <= '9' {
		v, err := strconv.ParseUint(s, 0, 64)
		return trace.Addr(v), err
	}
	if a, ok := n.objs[s]; ok {
		return a, nil
	}
	if i := strings.LastIndexByte(s, '+'); i > 0 {
		off, err := strconv.ParseUint(s[i+1:], 0, 64)
		if err != nil {
			return 0, err
		}
		a, err := n.object(s[:i])
		return a + trace.Addr(off), err
	}
	if !isName(s) {
		return 0, fmt.Errorf("%q is not an object", s)
	}
	a := trace.Addr(firstObject + objectSpan*n.nObj)
	n.nObj++
	n.objs[s] = a
	n.meta.Objects = append(n.meta.Objects, trace.Object{Addr: a, Name: s})
	return a, nil
}

func (n *names) site(s string) (trace.Site, error) {
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		v, err := strconv.ParseUint(s, 0, 32)
		return trace.Site(v), err
	}
	if at, ok := n.sites[s]; ok {
		return at, nil
	}
	if !isName(s) {
		return 0, fmt.Errorf("%q is not a site", s)
	}
	at := max(1, len(n.meta.Sites))
	n.meta.Sites = grow(n.meta.Sites, at)
	n.meta.Sites[at] = trace.SiteInfo{File: -1, Name: s}
	n.sites[s] = trace.Site(at)
	return trace.Site(at), nil
}

// isName reports whether s can be a name: it begins like one, and no token of a line is mistaken
// for it.
func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || unicode.IsLetter(r)
		if i == 0 && !letter || !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '=' || r == '+' || r == unicode.ReplacementChar {
			return false
		}
	}
	return s != ""
}

// isGoName reports whether s can be the name of a goroutine: what looks like g and a number cannot.
func isGoName(s string) bool {
	return isName(s) && (s[0] != 'g' || s == "g" || strings.Trim(s[1:], "0123456789") != "")
}

// grow lengthens a table so that i is an index of it.
func grow[T any](table []T, i int) []T {
	for len(table) <= i {
		table = append(table, *new(T))
	}
	return table
}
