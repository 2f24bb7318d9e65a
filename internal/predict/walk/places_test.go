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
		// end ends what is there: of what another goroutine has shown for a later event, all
		end := func(addr, size uint64, at int64, later bool) {
			for i := range list {
				if x := &list[i]; x.addr-addr < size && x.until == ever && (later || x.from < at) {
					x.until = at
				}
			}
		}
		for event := int64(1); event < 200; event++ {
			event := max(event-r.Int64N(4), 1) // goroutines are not walked quite in step
			addr := 8 * r.Uint64N(6) << (r.Uint64N(2) * 11)
			switch r.IntN(8) {
			case 0:
				size := 8 * (1 + r.Uint64N(5))
				k.allocated(addr, size, event)
				end(addr, size, event, false)
			case 1:
				k.replaced(addr, event)
				end(addr, 1, event, true)
			case 2, 3, 4:
				is := r.IntN(3)
				k.add(addr, is, event, func(was int) bool { return was == is })
				there := false
				for _, x := range list {
					there = there || x.addr == addr && x.is == is && x.until == ever
				}
				if !there {
					end(addr, 1, event, true)
					list = append(list, said{addr, is, event, ever})
				}
			default:
				when := 1 + r.Int64N(event)
				is, ok := k.at(addr, when, all)
				since, few, many, there, some := r.Int64N(when), 0, 0, false, false
				for _, x := range list {
					if x.addr != addr {
						continue
					}
					if x.from < when && x.until >= when {
						some = true
						there = there || ok && is == x.is
					}
					if x.from < when && x.until >= since {
						if many++; x.from < x.until {
							few++
						}
					}
				}
				if ok != some || ok && !there {
					t.Fatalf("at %#x, event %d: %d, %v", addr, when, is, ok)
				}
				if m := k.within(addr, since, when, all); m < few || m > many {
					t.Fatalf("at %#x, events %d to %d: %d; there were %d to %d", addr, since, when, m, few, many)
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
