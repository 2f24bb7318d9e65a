package checks

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
)

// What is behind a //line comment with the column of emitted code has no hooks of its own.
// hooks:
func emitted(p *int) int {
//line emitted.go:1:900100
	*p++
	f := func() int { return *p }
	return f()
}

//line emitted.go:20

// hooks: read write
func written(p *int) { *p++ }

// A function that is inlined has the hooks that it has where it is compiled.
// hooks: read write
func inlinesWritten(p *int) {
//line emitted.go:1:900100
	*p++
	written(p)
	*p++
}

//line emitted.go:30

// hooks: read write
func inlinesEmitted(p *int) int {
	*p++
	return emitted(p)
}

// hooks: readrange read
func length(b *bytes.Buffer, n *int) {
//line emitted.go:1:900100
	*n = b.Len()
}

//line emitted.go:40

// What append does has hooks: the calls are of the runtime.
// hooks: read write call read readrange call write writerange call call
func builder(b *strings.Builder, n *int) {
//line emitted.go:1:900100
	*n++
	b.WriteByte('a')
}

//line emitted.go:50

// hooks: call
func copies(to, from []int) {
//line emitted.go:1:900100
	copy(to, from)
}

//line emitted.go:60

// The body of Sort is inlined here, and reads which instance it calls.
// hooks: read
func sorts(x []uint16) {
//line emitted.go:1:900100
	slices.Sort(x)
}

//line emitted.go:70

// An atomic operation is a call, in emitted code too.
// hooks: call
func adds(n *int32) {
//line emitted.go:1:900100
	atomic.AddInt32(n, 1)
}

//line emitted.go:80

// hooks:
func equal(a, b *struct {
	x int
	s string
}) bool {
//line emitted.go:1:900100
	return a.x == b.x && a.s[0] == b.s[0]
}

//line emitted.go:90

// hooks: writerange call
func clears(s []int) { clear(s) }

// hooks: call
func clearsEmitted(s []int) {
//line emitted.go:1:900100
	clear(s)
}

//line emitted.go:100

type wrapped struct {
	n int
	sort.IntSlice
}

type jumps struct {
	n int
	*strings.Builder
}

// Wrappers of methods load the receiver: those that the compiler makes for *wrapped.
// hooks: call call
func wraps() (sort.Interface, interface{ Grow(int) }) {
//line emitted.go:1:900100
	return &wrapped{}, &jumps{}
}

//line emitted.go:120

// Bytes that are compared as strings are read.
// hooks: call call call
func equalBytes(a, b []byte) bool {
//line emitted.go:1:900100
	return bytes.Equal(a, b)
}
