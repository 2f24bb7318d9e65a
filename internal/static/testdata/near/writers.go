package near

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"math/rand"
	"sync"
)

// Print writes to a buffer (package model).
func Print(names []string) string {
	var locked, plain bytes.Buffer
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, n := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			fmt.Fprintln(&locked, n)
			mu.Unlock()
			fmt.Fprintf(&plain, "%s\n", n) // want "print"
		}()
	}
	wg.Wait()
	return locked.String() + plain.String()
}

type counting struct{ n int }

func (c *counting) Write(p []byte) (int, error) {
	c.n += len(p) // want "counting"
	return len(p), nil
}

func Count(names []string) {
	var w io.Writer = &counting{}
	for _, n := range names {
		go fmt.Fprint(w, n)
		go func() { fmt.Fprint(w, n) }()
	}
}

// tools are changed by what looks like a query.
type tools struct {
	mu     sync.Mutex
	rng    *rand.Rand
	locked *rand.Rand
	h      hash.Hash
}

func (t *tools) pick() int {
	t.mu.Lock()
	n := t.locked.Intn(9)
	t.mu.Unlock()
	return n + t.rng.Intn(9) // want "rng"
}

func (t *tools) sum(b []byte) []byte { return t.h.Sum(b) } // want "hash"

func Tools() {
	t := &tools{rng: rand.New(rand.NewSource(1)), locked: rand.New(rand.NewSource(1)), h: sha256.New()}
	for range 4 {
		go t.pick()
		go t.sum(nil)
	}
}
