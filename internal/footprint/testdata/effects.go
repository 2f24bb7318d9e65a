package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// What is read and what is written, instruction by instruction (D10).

type part struct {
	a int
	b float32
}

type thing struct {
	mu    sync.Mutex
	n     int64
	ok    bool
	u     uint16
	c     atomic.Int64
	in    part
	at    *part
	list  []uint32
	parts []part
	row   [4]int8
	rows  [3][2]float64
	m     map[string]int64
	set   map[part]bool
	ch    chan int64
	bytes []byte
	f     func(*int64)
	any   any
	next  *thing
}

var (
	counter uint16
	table   [8]uint16
	first   *thing
)

// m: cases.thing.n?
func loads(t *thing) int64 { return t.n }

// m: cases.thing.n
func stores(t *thing) { t.n = 1 }

// m: cases.thing.n
func adds(t *thing) { t.n++ }

// m: cases.thing.n cases.thing.ok?
func both(t *thing) {
	if t.ok {
		t.n += 2
	}
}

// m: cases.thing.n cases.thing.next?
func writesAfterRead(t *thing) int64 { x := t.next.n; t.n = 3; return x }

// m: cases.thing.n cases.thing.next?
func another(t *thing) { t.n = t.next.n }

// m: cases.part.a? cases.thing.in
func loadsNested(t *thing) int { return t.in.a }

// m: cases.part.a cases.thing.in
func storesNested(t *thing) { t.in.a = 1 }

// m: cases.part? cases.thing.at? cases.thing.in
func copiesIn(t *thing) bool { return t.in == *t.at }

// m: cases.part cases.thing.in
func storesWhole(t *thing, p part) { t.in = p }

// m: cases.part cases.thing.at? cases.thing.in
func copiesOut(t *thing) { *t.at = t.in }

// m: cases.part?
func dereferences(p *part) part { return *p }

// m: cases.part
func assigns(p *part) { *p = part{} }

// m: cases.part.a? cases.thing.at?
func throughPointer(t *thing) int { return t.at.a }

// m: cases.part.a cases.thing.at?
func storesThroughPointer(t *thing) { t.at.a = 2 }

// m: cases.thing.at
func storesPointer(t *thing, p *part) { t.at = p }

// m: =9? cases.thing.u?
func global() uint16 { return counter }

// m: =9 cases.thing.u
func storesGlobal() { counter = 1 }

// m: [3]=9? cases.thing.u?
func globalElement() uint16 { return table[3] }

// m: =9? [3]=9 cases.thing.u
func globalElements(i int) { table[3] = table[i] }

// m: =22? cases.thing.n
func globalPointer() { first.n = 1 }

// m: =10? cases.thing.list?
func element(t *thing, i int) uint32 { return t.list[i] }

// m: =10 cases.thing.list?
func storesElement(t *thing, i int) { t.list[i] = 1 }

// m: =10? cases.thing.list?
func ranges(t *thing) (s uint32) {
	for _, x := range t.list {
		s += x
	}
	return s
}

// m: =3? cases.thing.row
func rangesArray(t *thing) (s int8) {
	for _, x := range &t.row {
		s += x
	}
	return s
}

// m: =3? cases.thing.row
func rangesArrayValue(t *thing) (s int8) {
	for _, x := range t.row {
		s += x
	}
	return s
}

// m: =3 cases.thing.row
func storesArray(t *thing) { t.row = [4]int8{} }

// m: [1]=3? cases.thing.row
func constant(t *thing) int8 { return t.row[1] }

// m: [1]=3 [2]=3? cases.thing.row
func constants(t *thing) { t.row[1] = t.row[2] }

// m: =3 cases.thing.row
func slicesArray(t *thing) { s := t.row[:]; s[0] = 1 }

// m: =3? cases.thing.row
func slicesArrayReads(t *thing) int8 { s := t.row[:]; return s[0] }

// m: [1]=14? cases.thing.rows
func rows(t *thing, i int) float64 { return t.rows[i][1] }

// m: =14? cases.thing.rows
func row(t *thing, i int) [2]float64 { return t.rows[i] }

// m: cases.part.b? cases.thing.parts?
func elementField(t *thing) float32 { return t.parts[0].b }

// m: cases.part.b cases.thing.parts?
func storesElementField(t *thing) { t.parts[0].b = 1 }

// m: cases.part? cases.thing.parts?
func elementStruct(t *thing) part { return t.parts[0] }

// m: =10 cases.thing.list
func grows(t *thing) { t.list = append(t.list, 1) }

// m: =10 cases.thing.list?
func growsElsewhere(t *thing) []uint32 { return append(t.list, 1) }

// m: =10? cases.thing.list?
func clones(t *thing) []uint32 { return append([]uint32(nil), t.list...) }

// m: =10 cases.thing.list?
func fills(t *thing, s []uint32) { copy(t.list, s) }

// m: =10? cases.thing.list?
func takes(t *thing) []uint32 { s := make([]uint32, 3); copy(s, t.list); return s }

// m: =10? cases.thing.list?
func collects(t *thing) (list []uint32) {
	for _, x := range t.list {
		list = append(list, x)
	}
	return list
}

// m: =10 cases.thing.list?
func collectsMore(t *thing, list []uint32) []uint32 {
	for _, x := range t.list {
		list = append(list, x)
	}
	return list
}

// m: =8 cases.thing.bytes?
func fillsString(t *thing, s string) { copy(t.bytes, s) }

// m: =10 cases.thing.list?
func clears(t *thing) { clear(t.list) }

// m: cases.thing.list?
func lengths(t *thing) int { return len(t.list) + cap(t.list) }

// m: cases.thing.list?
func reslices(t *thing) []uint32 { return t.list[1:2:3] }

// m: =10 [1]=10? cases.thing.list?
func arrayOf(t *thing) uint32 { return (*[2]uint32)(t.list)[1] }

// m: =10 cases.thing.list?
func toArray(t *thing) [2]uint32 { return [2]uint32(t.list) }

// m: =8? cases.thing.bytes?
func text(t *thing) string { return string(t.bytes) }

// m: cases.thing.m? map?
func lookup(t *thing) (int64, bool) { x, ok := t.m["a"]; return x, ok }

// m: cases.thing.m? map?
func size(t *thing) int { return len(t.m) }

// m: cases.thing.m? map?
func rangesMap(t *thing) (s int64) {
	for _, x := range t.m {
		s += x
	}
	return s
}

// m:
func rangesText(s string) (n rune) {
	for _, x := range s {
		n += x
	}
	return n
}

// m: cases.thing.m? map
func updates(t *thing) { t.m["a"] = 1 }

// m: cases.thing.m? map
func increments(t *thing) { t.m["a"]++ }

// m: cases.thing.m? map
func deletes(t *thing) { delete(t.m, "a") }

// m: cases.thing.m? map
func clearsMap(t *thing) { clear(t.m) }

// m: cases.part? cases.thing.at? cases.thing.set? map?
func lookupStruct(t *thing) bool { return t.set[*t.at] }

// m: cases.thing.ch?
func channels(t *thing) int64 { t.ch <- 1; return <-t.ch + int64(len(t.ch)) }

// m: cases.thing.ch?
func selects(t *thing) {
	select {
	case t.ch <- 1:
	case <-t.ch:
	default:
	}
}

// m: cases.thing.any?
func asserts(t *thing) int { x, _ := t.any.(int); return x }

// m: cases.thing.any
func boxes(t *thing) { t.any = 1 }

// m: cases.part? cases.thing.any cases.thing.in
func boxesStruct(t *thing) { t.any = t.in }

// m:
func atomics(t *thing) { t.c.Add(1) }

// m: cases.thing.n?
func locked(t *thing) int64 { t.mu.Lock(); defer t.mu.Unlock(); return t.n }

// Addresses: what is used other than as that of a load may be written.

// m: cases.thing.u
func addressReturned(t *thing) *uint16 { return &t.u }

// m: =9? cases.thing.u
func addressToHelper(t *thing) uint16 { return helper(&t.u) }

func helper(p *uint16) uint16 { return *p }

// m: =22 cases.thing.next cases.thing.u
func addressStored(t *thing, p **uint16) { *p = &t.u; t.next = nil }

// m:
func addressRecorded(t *thing) { recorded(&t.u) }

func recorded(p *uint16) { *p = 1 }

// m: cases.thing.ok
func addressCompared(t *thing, p *bool) bool { return &t.ok == p }

// m: cases.thing.ok
func addressDeferred(t *thing) { defer sets(&t.ok) }

func sets(p *bool) {}

// m: =9? cases.thing.u?
func plainPointer(p *uint16) uint16 { return *p }

// m: =9 cases.thing.u
func plainPointerStores(p *uint16) { *p = 1 }

// m: =9 cases.thing.u
func pointerStoresFieldReads(t *thing, p *uint16) { *p = t.u }

// m: call cases.thing.f? cases.thing.n
func addressGiven(t *thing) { t.f(&t.n) }

// m: =22 cases.thing.n
func swaps(p **thing) { *p = &thing{n: (*p).n}; (*p).n = 2 }

// m: cases.thing.n cases.thing.next?
func phi(t *thing, x bool) {
	if x {
		t = t.next
	}
	t.n = 1
}

// Calls.

// m: cases.thing.n cases.thing.ok? map cases.thing.m?
func twoDeep(t *thing) {
	if t.ok {
		middle(t)
	}
}

func middle(t *thing) { bottom(t) }

func bottom(t *thing) { t.m["x"] = t.n; t.n = 1 }

// m: =22? cases.thing.n cases.thing.next?
func captured(t *thing) { f := func() { t.n++ }; t = t.next; f() }

// m: cases.thing.n cases.thing.next?
func deferred(t *thing) { defer t.next.bump() }

// m: cases.thing.n
func started(t *thing) { go t.bump() }

// m: cases.thing.n
func methodValue(t *thing) func() { return t.bump }

func (t *thing) bump() { t.n++ }

// m: cases.thing.n?
func methodValueReads(t *thing) func() int64 { return t.get }

func (t *thing) get() int64 { return t.n }

// m: cases.thing.ok? .put
func invokes(t *thing, p interface{ put(int) }) {
	if t.ok {
		p.put(1)
	}
}

// The standard library: what table.txt says.

// m: =10? cases.thing.list?
func libraryReads(t *thing) bool { return sort.SliceIsSorted(t.list, nil) }

// m: =10 cases.thing.list? call
func librarySorts(t *thing) { sort.Slice(t.list, func(i, j int) bool { return false }) }

// m: cases.thing.n?
func formats(t *thing) string { return fmt.Sprint(t.n) + strconv.FormatInt(t.n, 10) }

// m: =14?
func formatsPointer(p *float64) string { return fmt.Sprint(p) }

// m: cases.part
func fillsByReflection(t *part) { json.Unmarshal(nil, t) }

// m:
func joins(s []string) string { return strings.Repeat("x", 3) }

// m: =24?
func joinsSlice(s []string) string { return strings.Join(s, ",") }

// m:
func fails() error { return errors.New("x") }

// m: =8 time.Time
func decodes(t *time.Time, b []byte) { t.UnmarshalJSON(b) }

// m: =8 time.Time
func decodesJSON(t *time.Time, s string) { json.Unmarshal([]byte(s), t) }

// m: =8
func appends(b []byte, t time.Time) []byte { return t.AppendFormat(b, "") }

// m: =8
func appendsText(b []byte, n int) []byte { return fmt.Appendf(b, "%d", n) }

// m: =20
func joinsErrors(list []error) { slices.Reverse(list) }

// Everything.

// m: *
func unsafely(t *thing) *float64 { return (*float64)(unsafe.Pointer(&t.n)) }

// m: *
func reflects(t *thing) { reflect.ValueOf(t).Elem().Field(1).SetInt(1) }
