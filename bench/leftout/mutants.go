package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"

	"presage/bench/seeded"
	"presage/internal/record"
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
		l.event(s.meta, &s.events[i])
	}
}

// uses records a program and looks at nothing but that.
func (b *bench) uses(ctx context.Context, name string, c record.Config) (*measured, error) {
	var out bytes.Buffer
	took := newStages()
	rec, err := recorded(ctx, c, &out, took)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(rec.Dir)
	m := &measured{used: used{}, out: out.Bytes()}
	for _, trace := range rec.Traces {
		if err := m.used.read(trace, b.limit); err != nil {
			return nil, err
		}
	}
	took.mark("reading")
	log.Printf("%s: %s", name, took.String())
	return m, nil
}

// read notes the first events of a trace, as many as are looked at.
func (l used) read(name string, limit int) error {
	t, err := trace.Open(name)
	if err != nil {
		return err
	}
	defer t.Close()
	for n := 0; n < limit; {
		var e trace.Event
		if err := t.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if e.Kind != format.MethodBegin && e.Kind != format.MethodEnd && e.Kind != format.Reach {
			n++
		}
		l.event(t.Meta(), &e)
	}
	return nil
}

func (l used) event(meta *trace.Meta, e *trace.Event) {
	if e.Kind != format.Lock && !e.Kind.IsAtomic() && (e.Kind < format.OnceBegin || e.Kind > format.OncePass) {
		return
	}
	at := meta.SiteInfo(e.Site)
	if at.File < 0 || int(at.File) >= len(meta.Files) {
		return
	}
	k := line{meta.Files[at.File].Name, int(at.Line)}
	if l[k] == nil {
		l[k] = map[by]bool{}
	}
	l[k][by{e.Obj, e.G}] = true
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
