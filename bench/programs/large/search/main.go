// Command search is a full-text search, as lusearch: goroutines index documents into one index of
// bleve, on disk, while others search it. They share a queue of documents, a cache of results, and
// statistics.
//
// It has one known race: a searcher reads the number of documents without the lock of the indexers.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2"
)

func main() {
	documents := flag.Int("documents", 24, "documents")
	queries := flag.Int("queries", 6, "queries of each searcher")
	flag.Parse()
	dir, err := os.MkdirTemp("", "search")
	if err == nil {
		err = run(filepath.Join(dir, "index"), *documents, *queries)
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type document struct {
	ID    string
	Title string
	Body  string
	Year  int
}

// library is what all goroutines share.
type library struct {
	index bleve.Index

	mu      sync.Mutex
	count   int
	pending []document
	words   map[string]int

	cache results
	stats statistics
}

// results are those of earlier queries.
type results struct {
	mu      sync.RWMutex
	byQuery map[string]*result
	hits    atomic.Int64
	misses  int // under mu
}

type result struct {
	mu    sync.Mutex
	total uint64
	asked int
}

type statistics struct {
	indexed, searched, found atomic.Int64

	mu      sync.Mutex
	slowest time.Duration
	kinds   map[string]int
	first   sync.Once
	began   time.Time
}

const (
	indexers  = 2
	searchers = 2
	batch     = 4
)

func run(dir string, documents, queries int) error {
	m := bleve.NewIndexMapping()
	index, err := bleve.New(dir, m)
	if err != nil {
		return err
	}
	l := &library{index: index, words: make(map[string]int), cache: results{byQuery: make(map[string]*result)},
		stats: statistics{kinds: make(map[string]int)}}
	work := make(chan document, indexers)
	var wg sync.WaitGroup
	failed := make(chan error, indexers+searchers)
	start := func(do func() error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := do(); err != nil {
				failed <- err
			}
		}()
	}
	for range indexers {
		start(func() error { return l.add(work) })
	}
	for i := range searchers {
		start(func() error { return l.search(i, queries) })
	}
	for i := range documents {
		work <- generate(i)
	}
	close(work)
	wg.Wait()
	close(failed)
	for one := range failed {
		err = errors.Join(err, one)
	}
	n, cerr := index.DocCount()
	fmt.Printf("%d documents, %d of them indexed, %d words, %d searches, %d found, %d cached, %d misses, %d kinds\n",
		l.count, n, len(l.words), l.stats.searched.Load(), l.stats.found.Load(), l.cache.hits.Load(), l.cache.misses, len(l.stats.kinds))
	return errors.Join(err, cerr, index.Close())
}

var vocabulary = strings.Fields("race lock order thread trace value path branch read write event window model proof schedule fork join channel wait signal memory cache index sound relaxed predictive analysis")

func generate(i int) document {
	seed := uint32(i + 1)
	next := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}
	var b strings.Builder
	for range 12 + next(10) {
		b.WriteString(vocabulary[next(len(vocabulary))] + " ")
	}
	return document{fmt.Sprint("d", i), vocabulary[next(len(vocabulary))], b.String(), 2000 + next(20)}
}

// add indexes documents in batches.
func (l *library) add(work <-chan document) error {
	b := l.index.NewBatch()
	for d := range work {
		l.stats.first.Do(func() { l.stats.began = time.Now() })
		l.note(d)
		if err := b.Index(d.ID, d); err != nil {
			return err
		}
		if b.Size() >= batch {
			if err := l.index.Batch(b); err != nil {
				return err
			}
			l.stats.indexed.Add(int64(b.Size()))
			b = l.index.NewBatch()
		}
	}
	l.stats.indexed.Add(int64(b.Size()))
	return l.index.Batch(b)
}

func (l *library) note(d document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	for _, w := range strings.Fields(d.Body) {
		l.words[w]++
	}
	if l.pending = append(l.pending, d); len(l.pending) > batch {
		l.pending = l.pending[1:]
	}
}

// search makes the queries of one searcher.
func (l *library) search(id, queries int) error {
	for i := range queries {
		text := vocabulary[(id+i*3)%len(vocabulary)]
		kind, q := "match", bleve.NewSearchRequest(bleve.NewMatchQuery(text))
		switch i % 3 {
		case 1:
			kind, q = "prefix", bleve.NewSearchRequest(bleve.NewPrefixQuery(text[:2]))
		case 2:
			low, high := 2000.0, 2010.0
			kind, q = "range", bleve.NewSearchRequest(bleve.NewNumericRangeQuery(&low, &high))
		}
		q.Size = min(10, 1+l.count) // the known race
		begin := time.Now()
		r, err := l.index.Search(q)
		if err != nil {
			return err
		}
		l.stats.searched.Add(1)
		l.stats.found.Add(int64(r.Total))
		l.stats.mu.Lock()
		l.stats.kinds[kind]++
		l.stats.slowest = max(l.stats.slowest, time.Since(begin))
		l.stats.mu.Unlock()
		l.cache.put(kind+" "+text, r.Total)
		time.Sleep(time.Millisecond)
	}
	return nil
}

// put notes the result of a query.
func (c *results) put(query string, total uint64) {
	c.mu.RLock()
	r := c.byQuery[query]
	c.mu.RUnlock()
	if r == nil {
		c.mu.Lock()
		if r = c.byQuery[query]; r == nil {
			r = &result{}
			c.byQuery[query] = r
			c.misses++
		}
		c.mu.Unlock()
	} else {
		c.hits.Add(1)
	}
	r.mu.Lock()
	r.total = max(r.total, total)
	r.asked++
	r.mu.Unlock()
}
