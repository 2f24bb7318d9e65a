package leftout

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/presage-race/presage/bench/internal/seeded"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// used is which goroutines have acquired a lock, done a sync.Once, or an atomic operation, in what
// is looked at of a trace. Goroutines that use other objects by the same line, as tests one after
// the other, have nothing to do with each other; nor have those of which one had used the object
// for the last time before it started the other, or one that did: the go statement orders all that
// the object protects, with it or without.
type used struct {
	lines  map[line]map[by]span
	forked map[trace.GoID]fork
	made   made
	n      int // events
}

// by is an object, as it was allocated, and a goroutine.
type by struct {
	object trace.Addr
	made   int
	g      trace.GoID
}

type line struct {
	file string
	line int
}

// span is the first and the last event of some.
type span struct{ first, last int }

// fork is what started a goroutine.
type fork struct {
	parent trace.GoID
	at     int
}

func newUsed() *used {
	return &used{lines: map[line]map[by]span{}, forked: map[trace.GoID]fork{}}
}

// note takes an event of a trace.
func (u *used) note(meta *trace.Meta, e *trace.Event) {
	i := u.n
	u.n++
	switch {
	case e.Kind == format.Alloc && e.Flags&format.FlagStack == 0:
		u.made.note(e.Obj, e.Val, i)
	case e.Kind == format.Go:
		u.forked[trace.GoID(e.Obj)] = fork{e.G, i}
	case e.Kind == format.Lock, e.Kind.IsAtomic(), e.Kind >= format.OnceBegin && e.Kind <= format.OncePass:
		at := meta.SiteInfo(e.Site)
		if at.File < 0 || int(at.File) >= len(meta.Files) {
			return
		}
		k := line{meta.Files[at.File].Name, int(at.Line)}
		if u.lines[k] == nil {
			u.lines[k] = map[by]span{}
		}
		x := by{e.Obj, u.made.by(uint64(e.Obj)), e.G}
		u.lines[k][x] = u.lines[k][x].with(span{i, i})
	}
}

// with is the span of two; the zero span has no events, as an operation is never the first of a
// trace.
func (s span) with(x span) span {
	if s == (span{}) {
		return x
	}
	return span{min(s.first, x.first), max(s.last, x.last)}
}

// together reports whether goroutines have used one and the same object of a sort, of the module in
// dir, without an order between all that they did.
func (u *used) together(m *seeded.Seed, dir string) bool { return u.any(m.At, dir) }

func (u *used) any(at func(file string, line int) bool, dir string) bool {
	objects := map[by]map[trace.GoID]span{}
	for k, uses := range u.lines {
		file := k.file
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
		if !at(file, k.line) {
			continue
		}
		for x, s := range uses {
			o := by{object: x.object, made: x.made}
			if objects[o] == nil {
				objects[o] = map[trace.GoID]span{}
			}
			objects[o][x.g] = objects[o][x.g].with(s)
		}
	}
	for _, uses := range objects {
		for g, x := range uses {
			for h, y := range uses {
				if g < h && u.knows(h, g) < x.last && u.knows(g, h) < y.last {
					return true
				}
			}
		}
	}
	return false
}

// knows is the last event of a that the beginning of b comes after by go statements alone, -1:
// none.
func (u *used) knows(b, a trace.GoID) int {
	for f, ok := u.forked[b]; ok; f, ok = u.forked[f.parent] {
		if f.parent == a {
			return f.at
		}
	}
	return -1
}

// uses records a program and analyses only which goroutine uses what.
func (b *bench) uses(ctx context.Context, name string, c record.Config) (*measured, error) {
	var out bytes.Buffer
	took := newStages()
	rec, err := recorded(ctx, c, &out, took)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(rec.Dir)
	m := &measured{out: out.Bytes()}
	for _, name := range rec.Traces {
		u, err := usesOf(name, b.limit)
		if err != nil {
			return nil, err
		}
		m.used = append(m.used, u)
	}
	took.mark("reading")
	log.Printf("%s: %s", name, took.String())
	return m, nil
}

// usesOf reads the first events of a trace, as many as are looked at.
func usesOf(name string, limit int) (*used, error) {
	t, err := trace.Open(name)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	u := newUsed()
	for u.n < limit {
		var e trace.Event
		if err := t.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if k := e.Kind; k != format.MethodBegin && k != format.MethodEnd && k != format.Reach && k != format.ReachSet {
			u.note(t.Meta(), &e)
		}
	}
	return u, nil
}
