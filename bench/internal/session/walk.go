package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Walked is what a walk of traces through the source showed, without any analysis of them.
type Walked struct {
	walk.Stats
	Events, Unexplained int64
	Cut                 int             // traces that were walked in part
	First               []walk.Mismatch // the first ones of each trace
}

// Walk walks the events of the traces through the source in which they were recorded: of each trace
// at most so many, 0: all.
func Walk(ctx context.Context, names []string, most int64) (*Walked, error) {
	w := &Walked{}
	var p *plan.Plan
	for _, name := range names {
		err := w.file(ctx, name, &p, most)
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// file walks one trace. The traces of one command have one plan.
func (w *Walked) file(ctx context.Context, name string, p **plan.Plan, most int64) error {
	t, err := trace.Open(name)
	if err != nil {
		return err
	}
	defer t.Close()
	if *p == nil {
		if *p, err = walk.Load(ctx, t.Meta()); err != nil {
			return err
		}
	}
	walker := walk.New(*p)
	var e trace.Event
	for i := int64(0); ; i++ {
		err := t.Next(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if most > 0 && i == most {
			w.Cut++
			break
		}
		walker.Step(i, &e)
		w.Events++
		if unexplained(&e) {
			w.Unexplained++
		}
		if i%(1<<20) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	w.addWalk(walker)
	return nil
}

// unexplained reports whether e is a read whose value no recorded write explains. Of other kinds of
// events the same bit says something else: of an Alloc, that the memory is zero.
func unexplained(e *trace.Event) bool {
	return e.Kind.IsAccess() && e.Flags&format.FlagUnexplained != 0
}

// addWalk adds what one walk showed.
func (w *Walked) addWalk(walker *walk.Walker) {
	s := walker.Stats()
	w.Mismatches += s.Mismatches
	w.First = append(w.First, walker.Mismatches()...)
}

// Add adds what another walk showed.
func (w *Walked) Add(other *Walked) {
	w.Events, w.Unexplained, w.Mismatches = w.Events+other.Events, w.Unexplained+other.Unexplained, w.Mismatches+other.Mismatches
	w.Cut += other.Cut
	w.First = append(w.First, other.First...)
}

// AsWritten returns the functions that were not recorded, with the reasons, as the traces of one
// command have them.
func AsWritten(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	t, err := trace.Open(names[0])
	if err != nil {
		return nil, err
	}
	defer t.Close()
	var all []string
	for _, f := range t.Meta().Funcs {
		if f.Opaque != "" {
			all = append(all, f.Name+": "+f.Opaque)
		}
	}
	return all, nil
}

// TraceFiles returns the traces that presage has kept with -o: the file, or those of several
// processes in a directory.
func TraceFiles(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	return filepath.Glob(filepath.Join(name, "*"))
}
