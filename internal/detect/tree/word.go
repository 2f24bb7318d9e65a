package tree

import "github.com/presage-race/presage/internal/trace/format"

// word is what the filter knows of a word of memory. For FastTrack it is what the detector
// remembers of it.
type word struct {
	stamp uint32 // changes when histories of the word do not hold any more

	// the segment in which everything was advanced since the writes and reads below
	owner     uint64
	site      format.Site // of the last write that was advanced, if the owner made it
	mask      uint8       // its bytes; 0: there is none
	readMask  uint8       // bytes of the reads that were advanced since the last write
	readSite  format.Site // their site
	wrote     uint8       // bytes written in this run of the owner
	wroteRead uint8       // and bytes read
}

// edge is a lock operation for a detector to which it is a message (T7).
type edge struct {
	no    uint64 // of the lock; memory that is allocated anew is another one
	taken uint64
}

// release is a lock that a goroutine has released, with the contexts around that.
type release struct {
	lock          uint64 // edge.no
	others        uint64
	before, after uint64
}

// releases are the last few of a goroutine, the newest on top.
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
