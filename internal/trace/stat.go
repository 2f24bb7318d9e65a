package trace

import (
	"fmt"
	"io"

	"github.com/presage-race/presage/internal/trace/format"
)

// Stat is what a trace holds, counted.
type Stat struct {
	Events     int64
	Kinds      [format.Max]int64
	Goroutines int   // that have events, the runtime (0) not counted
	Locations  int   // aligned 8-byte words that were accessed
	Shared     int   // of those, accessed by more than one goroutine
	Objects    int   // locks, channels and other objects of synchronisation
	Outside    int64 // accesses of outside code
	Late       int64 // of those, the ones of which only the context is known
	Values     int64 // accesses whose value is known
	Sites      int   // that have events
	Bytes      int64 // of the file; 0 if not known
}

// BytesPerEvent returns the file's size by its events; 0 if not known.
func (s *Stat) BytesPerEvent() float64 {
	if s.Events == 0 {
		return 0
	}
	return float64(s.Bytes) / float64(s.Events)
}

// Count reads src to its end. When src ends with an error, the counts of what was
// read are returned with it. Memory grows with the number of locations.
func Count(src Source) (*Stat, error) {
	c := counter{
		words: make(map[Addr]GoID), objects: make(map[Addr]struct{}),
		gos: make(map[GoID]struct{}), sites: make(map[Site]struct{}),
	}
	var e Event
	for {
		err := src.Next(&e)
		if err == io.EOF {
			err = nil
		} else if err == nil {
			c.add(&e)
			continue
		}
		c.Goroutines, c.Locations, c.Objects, c.Sites = len(c.gos), len(c.words), len(c.objects), len(c.sites)
		for _, g := range c.words {
			if g == many {
				c.Shared++
			}
		}
		return &c.Stat, err
	}
}

// many stands for more than one goroutine.
const many GoID = -1

type counter struct {
	Stat
	words   map[Addr]GoID // the goroutine that accessed it, or many
	objects map[Addr]struct{}
	gos     map[GoID]struct{}
	sites   map[Site]struct{}
	lastG   GoID
}

func (c *counter) add(e *Event) {
	c.Events++
	c.Kinds[e.Kind]++
	if e.Outside() {
		c.Outside++
		if e.Flags&format.FlagLate != 0 {
			c.Late++
		}
	}
	if e.G != c.lastG { // events come in runs
		c.lastG = e.G
		c.gos[e.G] = struct{}{}
	}
	if e.Site != 0 {
		c.sites[e.Site] = struct{}{}
	}
	switch {
	case e.Kind.IsAccess():
		c.access(e)
	case e.Kind >= format.Lock && e.Kind <= format.SelectCase || e.Kind >= format.Acquire && e.Kind <= format.ReleaseMerge:
		c.objects[e.Obj] = struct{}{}
	}
}

func (c *counter) access(e *Event) {
	if e.Flags&format.FlagNoValue == 0 {
		c.Values++
	}
	word := e.Obj &^ 7
	if g, ok := c.words[word]; !ok {
		c.words[word] = e.G
	} else if g != e.G {
		c.words[word] = many
	}
}

// Copy writes the events of src to dst, and returns how many. Where src ends with an error, what
// comes before is written.
func Copy(dst Sink, src Source) (int64, error) {
	var e Event
	for n := int64(0); ; n++ {
		if err := src.Next(&e); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		if err := dst.Write(&e); err != nil {
			return n, fmt.Errorf("writing event %d: %w", n, err)
		}
	}
}
