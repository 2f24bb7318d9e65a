package runtime

import "unsafe"

// Accesses of memory that are points of a steered run: those at sites of the schedule, which are
// where races were found. Before such an access, another goroutine may go on. The access counts as
// a record of synchronisation: there is one that package record takes out of the trace again
// (PointWords of package format). All points share one object as far as stamps are concerned, so
// the trace has their order.

// pgPoints is that object, as an address that nothing has.
const pgPoints = 24

// steerSitesInit makes the bits for the sites of the schedule.
func steerSitesInit(sites *[1 << 24]uint64, n uint64) {
	x := &presageSteer
	for i := range n {
		x.nsites = max(x.nsites, sites[i]+1)
	}
	if x.nsites == 0 || x.nsites > 1<<28 {
		x.nsites = 0
		return
	}
	x.sites = (*[1 << 24]uint64)(sysAlloc(uintptr(x.nsites/64+1)*8, &memstats.other_sys, "presage"))
	for i := range n {
		x.sites[sites[i]/64] |= 1 << (sites[i] % 64)
	}
}

// Point comes before an access at a site, of n bytes at p.
func (s *PresageG) Point(site uint64, p unsafe.Pointer, n uintptr, write bool) {
	if site < presageSteer.nsites {
		s.point(site, p, n, write)
	}
}

//go:noinline
func (s *PresageG) point(site uint64, p unsafe.Pointer, n uintptr, write bool) {
	x := &presageSteer
	if !x.on || x.sites[site/64]>>(site%64)&1 == 0 || n == 0 || s.mute > 0 {
		return
	}
	steerPoint(s, uintptr(p))
	word := pgPointWords | uint64(min(n, pgPointSize))<<pgPointShift | uint64(uintptr(p))
	if write {
		word |= pgPointWrite
	}
	s.synchronises(pgAtomicRead)
	at := s.room(4)
	t := s.stamp(pgPoints)
	pgStore(at+8, word)
	pgStore(at+16, 0)
	pgStore(at+24, t)
	pgStore(at, pgHead(pgAtomicRead, 0, 8, site))
	s.advance(at, 32)
}

// sync_presageAwaits is a point before the running goroutine may wait for obj without a record.
//
//go:linkname sync_presageAwaits sync.presageAwaits
func sync_presageAwaits(obj unsafe.Pointer) {
	if s := getg().presage; presageSteer.on && s != nil && s.mute == 0 {
		steerPoint(s, uintptr(obj))
	}
}
