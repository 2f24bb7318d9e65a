// Database uses package database/sql with a driver of its own, which keeps rows in memory, from
// several goroutines.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"log"
	"sync"
	"time"
)

type memory struct {
	mu   sync.Mutex
	rows [][]driver.Value
}

func (m *memory) Open(string) (driver.Conn, error) { return conn{m}, nil }

type conn struct{ m *memory }

func (c conn) Prepare(query string) (driver.Stmt, error) { return stmt{c.m, query}, nil }
func (c conn) Close() error                              { return nil }
func (c conn) Begin() (driver.Tx, error)                 { return c, nil }
func (c conn) Commit() error                             { return nil }
func (c conn) Rollback() error                           { return errors.New("not supported") }

type stmt struct {
	m     *memory
	query string
}

func (s stmt) Close() error  { return nil }
func (s stmt) NumInput() int { return -1 }

func (s stmt) Exec(args []driver.Value) (driver.Result, error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.rows = append(s.m.rows, append([]driver.Value(nil), args...))
	return driver.RowsAffected(1), nil
}

func (s stmt) Query([]driver.Value) (driver.Rows, error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return &rows{rest: s.m.rows}, nil
}

type rows struct{ rest [][]driver.Value }

func (r *rows) Columns() []string { return []string{"id", "name", "at", "data"} }
func (r *rows) Close() error      { return nil }

func (r *rows) Next(dest []driver.Value) error {
	if len(r.rest) == 0 {
		return io.EOF
	}
	copy(dest, r.rest[0])
	r.rest = r.rest[1:]
	return nil
}

func main() {
	sql.Register("memory", &memory{})
	db, err := sql.Open("memory", "")
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(2)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 10 {
				if err := work(db, i*100+j); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	wg.Wait()
	if err := db.Close(); err != nil {
		log.Fatal(err)
	}
}

func work(db *sql.DB, id int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "insert", id, "name", time.Unix(int64(id), 0), []byte("data")); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	list, err := db.QueryContext(ctx, "select")
	if err != nil {
		return err
	}
	defer list.Close()
	for list.Next() {
		var n int64
		var name sql.NullString
		var at time.Time
		var data []byte
		if err := list.Scan(&n, &name, &at, &data); err != nil {
			return err
		}
	}
	return list.Err()
}
