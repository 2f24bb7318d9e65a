// Package db calls what its users implement.
package db

import "context"

// Config makes any number of connections.
type Config struct{ Tracer Tracer }

// Conn belongs to one goroutine.
type Conn struct {
	tracer Tracer
	tx     Tx
}

// Tracer is told which connection calls.
type Tracer interface {
	Start(ctx context.Context, c *Conn) context.Context
	End(ctx context.Context, c *Conn)
	Close(c *Conn)
}

// Tx takes a context because it waits: it may belong to its connection alone.
type Tx interface {
	Commit(ctx context.Context) error
}

// New makes a connection.
func New(c *Config, tx Tx) *Conn { return &Conn{c.Tracer, tx} }

// Exec calls the tracer with the connection, and the transaction without.
func (c *Conn) Exec(ctx context.Context) error {
	ctx = c.tracer.Start(ctx, c)
	defer c.tracer.End(ctx, c)
	return c.tx.Commit(ctx)
}

// Close ends the connection.
func (c *Conn) Close() { c.tracer.Close(c) }
