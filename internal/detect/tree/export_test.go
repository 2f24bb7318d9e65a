package tree

import (
	"fmt"
	"sort"
	"strings"

	"github.com/presage-race/presage/internal/detect/lockset"
	"github.com/presage-race/presage/internal/trace/format"
)

// Shape watches how the contexts of a filter grow, so that its histories can be printed as the
// thesis draws them.
type Shape struct {
	f        *Filter
	from     map[uint64]uint64 // (TR1): the history before its last message
	message  map[uint64]string
	messages int
	name     map[uint32]format.GoID // by serial number
}

// NewShape watches f.
func NewShape(f *Filter) *Shape {
	s := &Shape{f: f, from: map[uint64]uint64{}, message: map[uint64]string{}, name: map[uint32]format.GoID{}}
	f.grown = func(from, to uint64, _ *format.Event) {
		s.messages++
		s.from[to], s.message[to] = from, fmt.Sprintf("g%d", s.messages)
	}
	return s
}

// Step is to be called for each event before Drop.
func (s *Shape) Step(e *format.Event) { s.name[s.f.gs.at(e.G).serial] = e.G }

// Theta gives the concurrency history of a site, a line for each context: Γ as a path, and its
// stack.
func (s *Shape) Theta(site format.Site, locks func(set uint32) []string, goroutine func(format.GoID) string) (lines []string) {
	i := s.f.theta.index.Find(uint64(site))
	if i < 0 {
		return nil
	}
	for _, h := range s.f.theta.list[i].slots {
		if h.stamp == 0 {
			continue
		}
		var path []string
		for g := h.segment; g != 0; g = s.from[g] {
			path = append([]string{s.message[g]}, path...)
		}
		path = append(path, locks(uint32(h.set))...)
		var stack []string
		for _, n := range h.stack {
			if n != 0 {
				stack = append(stack, goroutine(s.name[n]))
			}
		}
		lines = append(lines, fmt.Sprintf("[%s] {%s}", strings.Join(path, " "), strings.Join(stack, " ")))
	}
	sort.Strings(lines)
	return lines
}

// Elements gives the numbers of the locks in a set, with their modes.
func (s *Shape) Elements(set uint32) []uint32 { return s.f.locks.Elements(lockset.Set(set)) }
