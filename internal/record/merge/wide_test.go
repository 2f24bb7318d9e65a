package merge

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestWide merges a read of three words that is one record.
func TestWide(t *testing.T) {
	h := format.RawHeader(format.Read, 0, 24, 5)
	s := &testStream{goid: 7, words: []uint64{
		format.RawHeader(format.Start, 0, 0, 0), 0, 10,
		h, 0x1000, 1, 2, 3,
		format.RawHeader(format.End, 0, 0, 0), 20,
	}}
	events, _, _ := mergeDir(t, save(t, []*testStream{s}, format.NotStopped, 0))
	var got []trace.Event
	for _, e := range events {
		if e.Kind == format.Read {
			e.Flags &^= format.FlagUnexplained
			got = append(got, e)
		}
	}
	for i, e := range got {
		flags := format.FlagMore
		if i == 2 {
			flags = 0
		}
		want := trace.Event{Kind: format.Read, Flags: flags, Size: 8, G: e.G, Site: 5, Obj: trace.Addr(0x1000 + 8*i), Val: uint64(i + 1)}
		if e != want {
			t.Errorf("event %d = %+v, want %+v", i, e, want)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d reads, want 3", len(got))
	}
}

// TestAcross merges accesses across aligned words, through pointers converted by unsafe.
func TestAcross(t *testing.T) {
	const all = format.ShortAddr | format.ShortFirst | format.ShortRest
	s := &testStream{goid: 7, words: []uint64{
		format.RawHeader(format.Start, 0, 0, 0), 0, 10,
		format.RawHeader(format.Write, 0, 8, 5), 0x1005, 0x0807060504030201,
		format.RawHeader(format.Read, 0, 2, 5), 0x1007, 0x0201,
		format.RawHeader(format.Read, 0, 16, 5), 0x1001, 0x0807060504030201, 0x100f0e0d0c0b0a09,
		format.ShortHeader(all, 8, 6), 0x2006, 0x0807060504030201,
		format.RawHeader(format.End, 0, 0, 0), 20,
	}}
	events, _, _ := mergeDir(t, save(t, []*testStream{s}, format.NotStopped, 0))
	var got []string
	for _, e := range events {
		if e.Kind.IsAccess() {
			got = append(got, fmt.Sprintf("%v/%d %#x %#x %v", e.Kind, e.Size, e.Obj, e.Val, e.Flags&format.FlagMore != 0))
		}
	}
	want := []string{
		"write/3 0x1005 0x30201 true", "write/5 0x1008 0x807060504 false",
		"read/1 0x1007 0x1 true", "read/1 0x1008 0x2 false",
		"read/7 0x1001 0x7060504030201 true", "read/8 0x1008 0xf0e0d0c0b0a0908 true", "read/1 0x1010 0x10 false",
		"read/2 0x2006 0x201 true", "read/6 0x2008 0x80706050403 false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("accesses (-want +got):\n%s", diff)
	}
}

// TestShort merges accesses of a loop whose records omit what equals the last one.
func TestShort(t *testing.T) {
	const all = format.ShortAddr | format.ShortFirst | format.ShortRest
	step := func(n int16) uint64 { return uint64(uint16(n)) << 32 }
	slice, num := uint32(5), uint32(6)
	s := &testStream{goid: 7, words: []uint64{
		format.RawHeader(format.Start, 0, 0, 0), 0, 10,
		format.ShortHeader(all, 24, slice), 0x1000, 1, 2, 3,
		format.ShortHeader(all|format.ShortWrite, 2, num), 0x2000, 9,
		format.ShortHeader(0, 24, slice) | step(24),
		format.ShortHeader(format.ShortFirst|format.ShortWrite, 2, num) | step(-2), 8,
		format.RawHeader(format.RawStamp, 0, 0, 0), 15,
		format.ShortHeader(format.ShortFirst, 24, slice) | step(0), 7,
		format.ShortHeader(format.ShortFirst, 8, 99), 1, // no address: damage
		format.ShortHeader(all, 24, slice), 0x14000, 4, 5, 6,
		format.ShortHeader(0, 24, slice) | step(-0x8000),
		format.RawHeader(format.End, 0, 0, 0), 20,
	}}
	s.cuts = []int{11} // the second chunk continues the RawShort records of the first
	events, _, _ := mergeDir(t, save(t, []*testStream{s}, format.NotStopped, 0))
	var got []string
	for _, e := range events {
		if e.Kind.IsAccess() {
			more := ""
			if e.Flags&format.FlagMore != 0 {
				more = " more"
			}
			got = append(got, fmt.Sprintf("%v/%d %#x %d at %d%s", e.Kind, e.Size, e.Obj, e.Val, e.Site, more))
		}
	}
	want := []string{
		"read/8 0x1000 1 at 5 more", "read/8 0x1008 2 at 5 more", "read/8 0x1010 3 at 5",
		"write/2 0x2000 9 at 6",
		"read/8 0x1018 1 at 5 more", "read/8 0x1020 2 at 5 more", "read/8 0x1028 3 at 5",
		"write/2 0x1ffe 8 at 6",
		"read/8 0x1018 7 at 5 more", "read/8 0x1020 2 at 5 more", "read/8 0x1028 3 at 5",
		"read/8 0x14000 4 at 5 more", "read/8 0x14008 5 at 5 more", "read/8 0x14010 6 at 5",
		"read/8 0xc000 4 at 5 more", "read/8 0xc008 5 at 5 more", "read/8 0xc010 6 at 5",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("accesses (-want +got):\n%s", diff)
	}
}
