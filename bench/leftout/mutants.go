package main

import (
	"path/filepath"

	"presage/bench/seeded"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// used is which goroutines have acquired a lock, done a sync.Once, or an atomic operation, in a line: of a file that a trace names.
type used map[line]map[trace.GoID]bool

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
			l[k] = map[trace.GoID]bool{}
		}
		l[k][e.G] = true
	}
}

// by is how many goroutines have used an object of the module in dir.
func (l used) by(m *seeded.Seed, dir string) int {
	all := map[trace.GoID]bool{}
	for k, gs := range l {
		file := k.file
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
		if m.At(file, k.line) {
			for g := range gs {
				all[g] = true
			}
		}
	}
	return len(all)
}
