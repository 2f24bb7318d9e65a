package steer

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// A file that nobody has run says that nothing was done. A file that is no schedule is an error.
func TestReadResult(t *testing.T) {
	name := filepath.Join(t.TempDir(), "schedule")
	for _, parts := range [][]Part{nil, make([]Part, 3), make([]Part, 1000)} {
		s := Schedule{Seed: 1, Parts: parts}
		if err := s.Write(name); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadResult(name); err != nil || !reflect.DeepEqual(r, Result{}) {
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
