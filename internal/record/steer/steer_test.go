package steer

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// A file that nobody has run says that nothing was done. A file that is no schedule is an error.
func TestReadResult(t *testing.T) {
	name := filepath.Join(t.TempDir(), "schedule")
	for _, parts := range [][]Part{nil, make([]Part, 3), make([]Part, 1000)} {
		s := Schedule{Seed: 1, Parts: parts}
		if err := s.Write(name); err != nil {
			t.Fatal(err)
		}
		want := Result{}
		if len(parts) > 0 {
			want.Ends = make([]End, len(parts))
		}
		if r, err := ReadResult(name); err != nil || !reflect.DeepEqual(r, want) {
			t.Errorf("%d parts: %+v, %v", len(parts), r, err)
		}
		if info, err := os.Stat(name); err != nil || info.Size() < int64(8*headerWords+16*len(parts)) {
			t.Errorf("%d parts: a file of %d bytes, %v", len(parts), info.Size(), err)
		}
	}
	if err := os.WriteFile(name, make([]byte, minSize), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadResult(name); err == nil {
		t.Error("zeros are taken for a schedule")
	}
}

// What the program writes behind the parts, choices and weights is found.
func TestBlocked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "schedule")
	s := Schedule{Parts: make([]Part, 3), Choices: make([]Choice, 2), Sites: []uint32{7}, Base: Base{Weights: make([]Weight, 1)}}
	if err := s.Write(name); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	put := func(at int, words ...uint64) {
		for i, w := range words {
			binary.LittleEndian.PutUint64(b[8*(at+i):], w)
		}
	}
	put(16, 1, 2)
	put(20, uint64(AskedProcessors|AskedCollected), 1e9)
	put(headerWords+2*3+4*2+2, 5, 0x10, uint64(Lock), 6, 0x20, uint64(Receive)|3<<8)
	put(headerWords+1, 7|uint64(Over|Waited))
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	want := Result{Held: 1, Asked: AskedProcessors | AskedCollected, Early: time.Second, Blocked: []Blocked{{5, 0x10, Lock, 0}, {6, 0x20, Receive, 3}}, Ends: []End{Over | Waited, 0, 0}}
	if r, err := ReadResult(name); err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("%+v, %v", r, err)
	}
	put(17, maxBlocked+1) // some have no room
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := ReadResult(name); err != nil || r.Held != 0 || len(r.Blocked) != maxBlocked {
		t.Errorf("held %d, %d are blocked, %v", r.Held, len(r.Blocked), err)
	}
}

// Goroutines of different places in the tree have different numbers.
func TestChild(t *testing.T) {
	seen := map[uint64]bool{Runtime: true, Firings: true}
	level := []uint64{Runtime, Firings}
	for range 3 {
		var next []uint64
		for _, p := range level {
			for n := range uint64(20) {
				c := Child(p, n+1)
				if seen[c] {
					t.Fatalf("%#x twice", c)
				}
				seen[c] = true
				next = append(next, c)
			}
		}
		level = next
	}
}
