package walk

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestPlaces compares places with a list of all that was ever said.
func TestPlaces(t *testing.T) {
	type said struct {
		addr        uint64
		is          int
		from, until int64
	}
	const ever = 1<<63 - 1
	r := rand.New(rand.NewPCG(1, 2))
	all := func(int) bool { return true }
	for range 50 {
		var k places[int]
		var list []said
		end := func(addr, size uint64, at int64) {
			for i := range list {
				if x := &list[i]; x.addr-addr < size && x.until == ever && x.from < at {
					x.until = at
				}
			}
		}
		for event := int64(1); event < 200; event++ {
			addr := 8 * r.Uint64N(6) << (r.Uint64N(2) * 11)
			switch r.IntN(8) {
			case 0:
				size := 8 * (1 + r.Uint64N(5))
				k.allocated(addr, size, event)
				end(addr, size, event)
			case 1:
				k.replaced(addr, event)
				end(addr, 1, event)
			case 2, 3, 4:
				is := r.IntN(3)
				k.add(addr, is, event, func(was int) bool { return was == is })
				there := false
				for _, x := range list {
					there = there || x.addr == addr && x.is == is && x.until == ever
				}
				if !there {
					end(addr, 1, event)
					list = append(list, said{addr, is, event, ever})
				}
			default:
				when := 1 + r.Int64N(event)
				is, ok := k.at(addr, when, all)
				since, n, there := r.Int64N(when), 0, false
				for _, x := range list {
					if x.addr != addr {
						continue
					}
					if x.from < when && x.until >= when && ok && is == x.is {
						there = true
					} else if x.from < when && x.until >= when {
						t.Fatalf("at %#x, event %d: %d, %v; it was %d", addr, when, is, ok, x.is)
					}
					if x.from < when && x.until >= since {
						n++
					}
				}
				if ok && !there {
					t.Fatalf("at %#x, event %d: %d; there was nothing", addr, when, is)
				}
				if m := k.within(addr, since, when, all); m != n {
					t.Fatalf("at %#x, events %d to %d: %d; there were %d", addr, since, when, m, n)
				}
			}
		}
	}
}

// TestPlacesInOneWord has one address change for as long as places are kept: that takes time
// proportional to the changes.
func TestPlacesInOneWord(t *testing.T) {
	var k places[int]
	began := time.Now()
	for i := range int64(1 << 20) {
		k.add(64, int(i), 4*i, func(int) bool { return false })
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("%v", took)
	}
}
