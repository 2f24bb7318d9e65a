package cli

import (
	"errors"
	"io"
	"sync"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// reopener opens a trace any number of times, as opener does. It reads the file that was closed
// last from its beginning again: reading the tables takes longer than reading the events of a short
// trace.
type reopener struct {
	name string
	free *source.File // nil: none was closed
}

func (o *reopener) open() (trace.Source, io.Closer, error) {
	f := o.free
	o.free = nil
	if f == nil {
		var err error
		if f, err = openTrace(o.name); err != nil {
			return nil, nil, err
		}
	} else if err := f.Trace.SeekTo(0); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, closer(func() error {
		if f.Trace == nil || o.free != nil {
			return f.Close()
		}
		o.free = f
		return nil
	}), nil
}

func (o *reopener) close() {
	if o.free != nil {
		o.free.Close()
	}
}

// closer is a function that closes.
type closer func() error

func (c closer) Close() error { return c() }

// lastMeta has the tables of the trace that was used last: races of one trace follow each other.
type lastMeta struct {
	mu   sync.Mutex
	name string
	meta *trace.Meta
}

func (l *lastMeta) of(name string) (*trace.Meta, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.meta != nil && l.name == name {
		return l.meta, nil
	}
	meta, err := metaOf(name)
	if err == nil {
		l.name, l.meta = name, meta
	}
	return meta, err
}

func metaOf(name string) (*trace.Meta, error) {
	f, err := openTrace(name)
	if err != nil {
		return nil, err
	}
	return f.Meta(), f.Close()
}
