package main

import (
	"path/filepath"

	"presage/bench/seeded"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// used is which goroutines have acquired a lock, done a sync.Once, or an atomic operation, in a line: of a file that a trace names. Goroutines that use other
// objects by the same line, as tests one after the other, have nothing to do with each other.
type used map[line]map[by]bool

type by struct {
	object trace.Addr
	g      trace.GoID
}

type line struct {
	file string
	line int
}

func (l used) note(s *stretch) {
	for i := range s.events {
		e := &s.events[i]
		if e.Kind != format.Lock && !e.Kind.IsAtomic() && (e.Kind < format.OnceBegin || e.Kind > format.OncePass) {
			continue
		}
		at := s.meta.SiteInfo(e.Site)
		if at.File < 0 || int(at.File) >= len(s.meta.Files) {
			continue
		}
		k := line{s.meta.Files[at.File].Name, int(at.Line)}
		if l[k] == nil {
			l[k] = map[by]bool{}
		}
		l[k][by{e.Obj, e.G}] = true
	}
}

// by is how many goroutines have used one and the same object of a sort, of the module in dir.
func (l used) by(m *seeded.Seed, dir string) (most int) {
	all, count := map[by]bool{}, map[trace.Addr]int{}
	for k, uses := range l {
		file := k.file
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
		if !m.At(file, k.line) {
			continue
		}
		for x := range uses {
			if !all[x] {
				all[x] = true
				count[x.object]++
				most = max(most, count[x.object])
			}
		}
	}
	return most
}
