package leftout

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// kept is a recording with a true race: -keep writes it, and -again analyses it again. Only the
// same recordings show the effect of a change of the rules, because each recording is another
// schedule.
type kept struct {
	Name    string
	Meta    *trace.Meta
	Limit   int
	Events  []trace.Event
	Flows   []keptFlow // of those that the walk has seen
	Syncs   map[trace.Site]bool
	Really  []sites
	Methods map[trace.Addr]string // names
	Atomic  map[trace.Addr]bool   // of these, whose only synchronisation is atomic
}

type keptFlow struct {
	Walked             bool
	Needs, From, Where []int64
	Appended           *flow.Appended
}

// Step implements window.Walker.
func (k *kept) Step(i int64, _ *trace.Event) flow.Flow {
	f := k.Flows[i]
	return flow.Flow{Walked: f.Walked, Needs: f.Needs, From: f.From, Where: f.Where, Appended: f.Appended}
}

// keeping is a source and a walk of which all is kept.
type keeping struct {
	trace.Source
	flow.Walker
	to *kept
}

func (x *keeping) Next(e *trace.Event) error {
	err := x.Source.Next(e)
	if err == nil {
		x.to.Events = append(x.to.Events, *e)
	}
	return err
}

func (x *keeping) Step(i int64, e *trace.Event) flow.Flow {
	f := x.Walker.Step(i, e)
	x.to.Flows = append(x.to.Flows, keptFlow{f.Walked, slices.Clone(f.Needs), slices.Clone(f.From), slices.Clone(f.Where), f.Appended})
	return f
}

// keep writes a recording.
func (b *bench) keep(title, name string, really map[sites]bool, p *plan.Plan) error {
	t, err := trace.Open(name)
	if err != nil {
		return err
	}
	defer t.Close()
	k := &kept{Name: title, Meta: t.Meta(), Limit: b.limit, Syncs: map[trace.Site]bool{}, Methods: map[trace.Addr]string{}, Atomic: map[trace.Addr]bool{}}
	w := walk.New(p)
	w.Read(t.Meta())
	x := &keeping{t, w, k}
	h, err := readHidden(x, x, b.codeOf(p), b.limit, b.variants[0].seen, false)
	if err != nil {
		return err
	}
	for i := range k.Events {
		switch e := &k.Events[i]; {
		case e.Kind == format.MethodBegin && k.Methods[e.Obj] == "":
			k.Methods[e.Obj] = h.methodName(p, e.Obj)
			if !waits(p, e.Obj) {
				k.Atomic[e.Obj] = true
			}
		case p.SynchronisesAt(e.Site):
			k.Syncs[e.Site] = true
		}
	}
	for q := range really {
		k.Really = append(k.Really, q)
	}
	// a shell's * leaves out names with a dot
	file := strings.TrimLeft(strings.NewReplacer("/", "_", " ", "_").Replace(title), "._")
	f, err := os.Create(filepath.Join(b.kept, fmt.Sprintf("%s.%d", file, time.Now().UnixNano())))
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewEncoder(f).Encode(k)
}

// listed is a source of events.
type listed struct {
	meta *trace.Meta
	rest []trace.Event
}

func (l *listed) Meta() *trace.Meta { return l.meta }

func (l *listed) Next(e *trace.Event) error {
	if len(l.rest) == 0 {
		return io.EOF
	}
	*e, l.rest = l.rest[0], l.rest[1:]
	return nil
}

// again looks at recordings that were kept, as far as RDIT goes.
func (b *bench) again(ctx context.Context, files []string) error {
	slices.Sort(files)
	printHead()
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		var k kept
		err = gob.NewDecoder(f).Decode(&k)
		f.Close()
		if err != nil {
			return err
		}
		for _, s := range b.variants {
			if err := b.onceMore(ctx, &k, s); err != nil {
				return errors.Join(errors.New(name), err)
			}
		}
	}
	return nil
}

func (b *bench) onceMore(ctx context.Context, k *kept, s variant) error {
	began := time.Now()
	c := code{func(s trace.Site) bool { return k.Syncs[s] }, func(m trace.Addr) bool { return b.atomics || !k.Atomic[m] }}
	h, err := readHidden(&listed{k.Meta, k.Events}, k, c, k.Limit, s.seen, s.exact)
	if err != nil {
		return err
	}
	h.methods = k.Methods
	really := map[sites]bool{}
	for _, q := range k.Really {
		really[q] = true
	}
	x, _, err := b.judged(ctx, h, really, nil, s)
	if err != nil {
		return err
	}
	x.print(k.Name, s)
	b.add(s, x)
	log.Printf("%s: %.1f s", k.Name, time.Since(began).Seconds())
	return nil
}

func (h *hidden) methodName(p *plan.Plan, method trace.Addr) string {
	if p == nil {
		return h.methods[method]
	}
	return p.Funcs[method-instrument.Around].Name
}
