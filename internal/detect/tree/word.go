package tree

import "github.com/presage-race/presage/internal/trace/format"

// word is the state of a word of memory. For FastTrack it is what the detector keeps of the word.
type word struct {
	stamp uint32 // it changes when the histories of the word end

	// owner is the segment of all accesses that were advanced since the writes and reads below
	owner     uint64
	site      format.Site // of the last write that was advanced, if the owner made it
	mask      uint8       // its bytes; 0: there is none
	readMask  uint8       // bytes of the reads that were advanced since the last write
	readSite  format.Site // their site
	wrote     uint8       // bytes written since owner is the owner
	wroteRead uint8       // bytes read since then
}

// edge is a lock whose operations are messages (TR6).
type edge struct {
	no    uint64 // of the lock; one in memory that is allocated anew has another number
	taken uint64
}

// release is the release of a lock by a goroutine, with its segments before and after.
type release struct {
	lock          uint64 // edge.no
	others        uint64
	before, after uint64
}

// releases has the last releases of a goroutine, the newest on top.
type releases struct {
	ring [8]release
	n    uint32
}

func (r *releases) push(x release) {
	r.ring[r.n%uint32(len(r.ring))] = x
	r.n++
}

func (r *releases) top() *release {
	if r.n == 0 {
		return nil
	}
	return &r.ring[(r.n-1)%uint32(len(r.ring))]
}

func (r *releases) pop() {
	*r.top() = release{}
	r.n--
}
