package witness_test

import (
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestRecorded has a case for everything for which a pair is refused or not: the pair is @a and @b.
// Package hb compares (CW1) with the definition.
func TestRecorded(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"nothing in between", `
			main go g2
			main write x val=1 @a
			g2 write x val=2 @b`, ""},
		{"observations", `
			main go g2
			main write x val=1 @a
			main send c val=1 aux=2
			main lock l
			g2 len c val=1 aux=2
			g2 tryfail l
			g2 case d aux=0
			g2 default
			g2 write x val=2 @b`, ""},
		{"what a string says", `
			main go g2
			main write x val=1 @a
			g2 read x val=1 text @b`, "(R) a read of the content of a string is no access by the program"},
		{"what a string says, in between", `
			main go g2
			main write x val=1 @a
			main read x val=1 text @c
			g2 write x val=2 @b`, ""},
		{"a channel", `
			main go g2
			main write x val=1 @a
			main send c val=1 aux=2
			g2 recv c val=1 aux=2
			g2 write x val=2 @b`, "(CW1) the first access happens before the second"},
		{"another element of a channel", `
			main go g2
			main go g3
			g3 send c val=1 aux=2
			main write x val=1 @a
			main send c val=2 aux=2
			g2 recv c val=1 aux=2
			g2 write x val=2 @b`, ""},
		{"an atomic write over the one that knew", `
			main go g2
			main go g3
			main write x val=1 @a
			main awrite y val=1
			g3 awrite y val=2
			g2 aread y val=2
			g2 write x val=2 @b`, ""},
		{"the other side of a meeting", `
			main go g2
			g2 send c val=1 aux=0
			main write x val=1 @a
			main recv c val=1 aux=0
			g2 write x val=2 @b`, "(CW1) the first access happens before the second"},
		{"hidden synchronisation", `
			main go g2
			main write x val=1 @a
			main relmerge h
			g2 acquire h
			g2 write x val=2 @b`, "(CW1) the first access happens before the second"},
		{"a finalizer", `
			main go g2
			main write x val=1 @a
			g2 acquire 0
			g2 write x val=2 @b`, "(CW1) the first access happens before the second"},
		{"two opaque calls: their synchronisation has events of its own", `
			main go g2
			main write x val=1 @a
			main opaque @call
			main opaqueend @call
			g2 opaque @call
			g2 opaqueend @call
			g2 write x val=2 @b`, ""},
		{"an excluded call that ended before", `
			main go g2
			main methodbegin m
			main methodend m
			main write x val=1 @a
			g2 write x val=2 @b`, ""},
		{"an excluded call in between", `
			main go g2
			main write x val=1 @a
			main methodbegin m
			main methodend m
			g2 write x val=2 @b`, "(CW2) excluded code runs between the accesses and may order them"},
		{"an excluded call that has not ended, and calls back", `
			main go g2
			g2 methodbegin m
			main write x val=1 @a
			g2 write x val=2 @b`, "(CW2) excluded code runs between the accesses and may order them"},
		{"a goroutine that has ended in an excluded call", `
			main go g2
			main go g3
			g3 methodbegin m
			g3 end
			main write x val=1 @a
			g2 write x val=2 @b`, ""},
		{"a call that calls back", `
			main go g2
			main opaque @call
			main enter @f aux=2
			main write x val=1 @a
			main exit @f aux=2
			g2 opaque @call
			g2 enter @f aux=2
			g2 write x val=2 @b`, ""},
		{"a goroutine out of nothing", `
			main write x val=1 @a
			g2 start g0
			g2 write x val=2 @b`, "(CW1) the first access happens before the second"},
		{"new memory", `
			main go g2
			main write 0x1008 val=1 @a
			g2 alloc 0x1000 val=16
			g2 write 0x1008 val=2 @b`, "(R) the memory was allocated between the accesses"},
		{"memory that one of them gets by a race", `
			main go g2
			main alloc 0x1000 val=16
			main write 0x1008 val=1 @a
			g2 write 0x1008 val=2 @b`, ""},
		{"memory that both have heard of", `
			main alloc 0x1000 val=16
			main go g2
			main write 0x1008 val=1 @a
			g2 write 0x1008 val=2 @b`, ""},
		{"memory that others touch", `
			main go g2
			main write 0x1008 val=1 @a
			g2 read 0x100c size=4 val=7 unexplained
			g2 write 0x1008 val=2 @b`, ""},
		{"an atomic operation of outside code", `
			main go g2
			main awrite x val=1 opaque @a
			g2 write x val=2 @b`, ""},
		{"accesses of outside code in between", `
			main go g2
			main write x val=1 @a
			main write x novalue opaque
			g2 write x val=2 @b`, ""},
		{"a buffer that the kernel fills", `
			main go g2
			main write x novalue opaque @a
			g2 read x val=2 @b`, ""},
		{"a stack", `
			main go g2
			main write x val=1 @a
			g2 write x val=2 stack @b`, "(R) an access to a stack"},
		{"one goroutine", `
			main write x val=1 @a
			main write x val=2 @b`, "(R) both accesses are of goroutine 1"},
		{"two reads", `
			main go g2
			main read x val=1 @a
			g2 read x val=1 @b`, "(R) neither access is a write"},
		{"two atomics", `
			main go g2
			main awrite x val=1 @a
			g2 awrite x val=1 @b`, "(R) both accesses are atomic"},
		{"an atomic read of an atomic write, and a plain write", `
			main go g2
			main write x val=1 @a
			main awrite x val=2
			g2 aread x val=2 @b`, "(CW1) the first access happens before the second"},
		{"an atomic write that is read, then a plain write", `
			main go g2
			main awrite x val=2 @a
			g2 aread x val=2
			g2 write x val=3 @b`, "(CW1) the first access happens before the second"},
		{"different bytes", `
			main go g2
			main write 0x1008 size=4 val=1 @a
			g2 write 0x100c size=4 val=1 @b`, "(R) the accesses are to 0x1008 and 0x100c"},
		{"the end", `
			main go g2
			main write x val=1 @a`, "(R) the trace ends before event 99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, meta, err := raw.Parse(strings.ReplaceAll(strings.TrimSpace(c.trace), "\t\t\t", "") + "\n")
			if err != nil {
				t.Fatal(err)
			}
			pair := witness.RecordedPair{A: -1, B: 99}
			named := func(s trace.Site, name string) bool { return int(s) < len(meta.Sites) && meta.Sites[s].Name == name }
			for i, e := range events {
				switch {
				case named(e.Site, "a"):
					pair.A, pair.Addr = int64(i), e.Obj
				case named(e.Site, "b"):
					pair.B = int64(i)
				}
			}
			r := witness.NewRecorded([]witness.RecordedPair{pair})
			for i := range events {
				r.Step(int64(i), &events[i])
			}
			got := ""
			if err := r.Err(0); err != nil {
				got = strings.TrimPrefix(err.Error(), "witness: ")
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
