// Package callbacks implements interfaces of another package, which calls their methods for several connections at once, or for one.
package callbacks

import (
	"context"

	"github.com/presage-race/presage/internal/static/testdata/callbacks/db"
)

// Log is told which connection calls, in a call with a context (LI1): connections of one configuration share it. No Close has a context, and Level
// is of no interface.
type Log struct {
	prefix *string
	closed int
	level  int
}

func (l *Log) Start(ctx context.Context, c *db.Conn) context.Context {
	if l.prefix == nil {
		l.prefix = new(string) // want "prefix"
	}
	return ctx
}

func (l *Log) End(ctx context.Context, c *db.Conn) {
	println(*l.prefix) // want "prefix"
}

func (l *Log) Close(c *db.Conn) { l.closed++ }

func (l *Log) Level() { l.level++ }

// Single says that it is for one connection.
//
// It is not safe for concurrent use.
type Single struct{ started int }

func (s *Single) Start(ctx context.Context, c *db.Conn) context.Context {
	s.started++
	return ctx
}

func (s *Single) End(ctx context.Context, c *db.Conn) {}
func (s *Single) Close(c *db.Conn)                    {}

// tx is not told which connection calls: it may be the only one of its connection.
type tx struct{ done bool }

func (t *tx) Commit(ctx context.Context) error {
	t.done = true
	return nil
}

// Connect hands a callback and a transaction over.
func Connect(t db.Tracer) *db.Conn { return db.New(&db.Config{Tracer: t}, &tx{}) }
