package merge

import "github.com/presage-race/presage/internal/trace/format"

// truncate applies (ME7). It returns the last stamp that counts, and the number of records that it
// has left out so far.
func (r *recording) truncate() (limit uint64, dropped int) {
	limit = noStamp
	if r.Stopped != format.NotStopped {
		if r.StopAt != 0 {
			limit = r.StopAt
		}
		for _, s := range r.streams {
			dropped += r.cutAfterSync(s)
		}
	}
	for _, s := range r.streams {
		if s.broken || r.endsBadly(s) {
			limit = min(limit, r.lastStamp(s))
		}
	}
	return limit, dropped
}

// cutAfterSync ends s at its last record of synchronisation, and counts the records after it.
func (r *recording) cutAfterSync(s *stream) (dropped int) {
	var x record
	c, last := cursor{seg: -1}, cursor{seg: -1}
	for c.read(r, s, &x) {
		dropped++
		if x.has && x.kind != format.RawStamp && x.kind != format.RawGC && x.kind != format.Alloc {
			last, dropped = c, 0
		}
	}
	s.spans = s.spans[:last.span]
	if last.span > 0 {
		s.spans[last.span-1].end = last.at
	}
	return dropped
}

// endsBadly reports whether a span of s ends in a word that is no record.
func (r *recording) endsBadly(s *stream) bool {
	if len(r.damage) == 0 {
		return false
	}
	var x record
	c := cursor{seg: -1}
	for c.read(r, s, &x) {
	}
	return c.at < c.end
}

// lastStamp returns the last stamp of s, 0 if there is none.
func (r *recording) lastStamp(s *stream) (last uint64) {
	var x record
	c := cursor{seg: -1}
	for c.read(r, s, &x) {
		if x.has {
			last = x.stamp
		}
	}
	return last
}

// rest counts the records of s that were not emitted.
func (r *recording) rest(s *stream) (n int) {
	c := s.cursor()
	var x record
	for c.read(r, s, &x) {
		n++
	}
	return n
}
