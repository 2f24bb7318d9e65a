package walk

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/predict/goval"
)

// TestParts cuts values into parts and joins them again.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		var off, size []int64
		var parts []goval.Value
		at := int64(0)
		for range 1 + rng.IntN(6) {
			n := int64(1) << rng.IntN(4)
			w := goval.Known(rng.Uint64() & goval.Mask(n))
			align := n
			switch rng.IntN(8) {
			case 0:
				n = 24
				w = goval.Words([]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()})
			case 1: // an array of bytes
				n, align = 13, 1
				w = goval.Words([]uint64{rng.Uint64(), rng.Uint64() & goval.Mask(5)})
			case 2:
				n, align = 7, 1
				w = goval.Known(rng.Uint64() & goval.Mask(7))
			}
			align = min(align, 8)
			at = (at + align - 1) &^ (align - 1)
			off, size, parts = append(off, at), append(size, n), append(parts, w)
			at += n
		}
		whole := goval.Join(at, off, size, parts)
		if !whole.IsKnown(at) {
			t.Fatalf("join(%d, %v, %v, %v) = %v", at, off, size, parts, whole)
		}
		for i := range parts {
			c := cell{words: make([]uint64, (at+7)/8), known: goval.LowBits(int(at+7) / 8)}
			c.store(goval.Known(uint64(off[i])), size[i], parts[i])
			if got := c.load(goval.Known(uint64(off[i])), size[i]); goval.Differ(got, parts[i], size[i]) || !got.IsKnown(size[i]) {
				t.Fatalf("%v stored at %d, loaded %v", parts[i], off[i], got)
			}
			if got := whole.Part(off[i], size[i]); goval.Differ(got, parts[i], size[i]) || !got.IsKnown(size[i]) {
				t.Fatalf("part %d at %d of %v: %v, want %v", i, off[i], whole, got, parts[i])
			}
		}
	}
	if bits.OnesCount64(goval.LowBits(70)) != 64 {
		t.Error("lowBits(70)")
	}
}
