package leftout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// measured is what the traces of one recording have shown.
type measured struct {
	rows []row   // by variant
	used []*used // by trace
	out  []byte  // of the program
}

// measure records a program and looks at the traces.
func (b *bench) measure(ctx context.Context, name string, c record.Config) (*measured, error) {
	title := name
	var out bytes.Buffer
	took := newStages()
	rec, err := recorded(ctx, c, &out, took)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(rec.Dir)
	if rec.Opaque > 0 {
		log.Printf("%s: %d functions are as they were written", name, rec.Opaque)
	}
	took.begins("loading")
	p, err := rec.Plan(ctx)
	if err != nil {
		return nil, err
	}
	took.mark("loading")
	m := &measured{rows: make([]row, len(b.variants)), out: out.Bytes()}
	for _, name := range rec.Traces {
		var really map[sites]bool
		for i, s := range b.variants {
			h, err := b.read(name, p, s)
			if err != nil {
				return nil, err
			}
			took.mark("reading")
			if really == nil {
				u := newUsed()
				for i := range h.all.events {
					u.note(h.all.meta, &h.all.events[i])
				}
				m.used = append(m.used, u)
				if really, err = h.all.races(ctx, tries); err != nil {
					return nil, err
				}
			}
			if b.kept != "" && i == 0 && len(really) > 0 {
				if err := b.keep(title, name, really, p); err != nil {
					return nil, err
				}
			}
			took.mark("truth")
			var x *row
			if x, really, err = b.judged(ctx, h, really, p, s); err != nil {
				if b.kept != "" && len(really) == 0 { // it is to be looked into
					err = errors.Join(err, b.keep(title, name, nil, p))
				}
				return nil, err
			}
			took.mark("detectors")
			m.rows[i].add(x)
		}
	}
	log.Printf("%s: %s", name, took.String())
	return m, nil
}

// recorded records a program.
func recorded(ctx context.Context, c record.Config, out *bytes.Buffer, took *stages) (*record.Result, error) {
	c.Around, c.Reach, c.Stdout, c.Stderr = true, record.ReachFull, out, out
	c.Progress = took.begins
	rec, err := record.Run(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	if rec.NotBuilt || rec.Plan == nil {
		return nil, fmt.Errorf("it does not build\n%s", out.Bytes())
	}
	return rec, nil
}

// read reads a trace.
func (b *bench) read(name string, p *plan.Plan, s variant) (*hidden, error) {
	t, err := trace.Open(name)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	w := walk.New(p)
	w.Read(t.Meta())
	h, err := readHidden(t, w, b.codeOf(p), b.limit, s.seen, s.exact)
	if err == nil && b.list && !s.exact {
		h.listEscaped(p)
	}
	return h, err
}

func (b *bench) codeOf(p *plan.Plan) code {
	return code{p.SynchronisesAt, func(m trace.Addr) bool { return b.atomics || waits(p, m) }}
}

// waits says whether a method has more synchronisation than atomic operations (rule 4).
func waits(p *plan.Plan, method trace.Addr) bool {
	f := p.ByID(trace.FuncID(method - instrument.Around))
	return f == nil || f.Waits()
}
