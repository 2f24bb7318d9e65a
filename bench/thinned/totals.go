package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// totals are what the judge has seen.
type totals struct {
	programs, racy int
	locations      int // racing, in the full traces
	accesses, thin int64
	second         int // pairs of lines that only a full trace has, in all batches
	pairs          int // and pairs that one has at all
	missing, false []difference
	operations     map[string]int
}

// difference is a location that races in one of the two traces.
type difference struct {
	seed int
	location
	lines
}

func (t *totals) differ() bool { return len(t.missing)+len(t.false) > 0 }

func (t *totals) String() string {
	return fmt.Sprintf("%d programs, %d with races (%.0f %%); %d racing locations; only in the full traces %d, only in the thinned ones %d; second lines lost %d of %d; accesses of outside code %d, kept %d",
		t.programs, t.racy, 100*float64(t.racy)/float64(max(1, t.programs)), t.locations, len(t.missing), len(t.false), t.second, t.pairs, t.accesses, t.thin)
}

// print prints the differences of the smallest seed.
func (t *totals) print(w io.Writer) {
	smallest := func(list []difference, seed int) int {
		for _, d := range list {
			seed = min(seed, d.seed)
		}
		return seed
	}
	seed := smallest(t.missing, smallest(t.false, 1<<62))
	for _, l := range []struct {
		title string
		list  []difference
	}{{"only in the full trace", t.missing}, {"only in the thinned trace", t.false}} {
		fmt.Fprintf(w, "seed %d, %s:\n", seed, l.title)
		for _, d := range l.list {
			if d.seed == seed {
				fmt.Fprintf(w, "\t%#x, Alloc %d: %s and %s\n", uint64(d.addr), d.alloc, d.a, d.b)
			}
		}
	}
}

// judge runs n programs and compares their traces. If first is set, it stops where it finds a difference.
func (p *program) judge(ctx context.Context, seed, n int, first bool, env ...string) (*totals, error) {
	t := &totals{operations: map[string]int{}}
	for at := seed; at < seed+n && !(first && t.differ()); at += batch {
		count := min(batch, seed+n-at)
		t0 := time.Now()
		raw, err := p.run(ctx, at, count, env...)
		fmt.Fprintln(os.Stderr, "run", time.Since(t0))
		if err != nil {
			return nil, err
		}
		t0 = time.Now()
		full, err := p.verdict(raw, true)
		fmt.Fprintln(os.Stderr, "full", time.Since(t0), full.events)
		if err != nil {
			return nil, err
		}
		thin, err := p.verdict(raw, false)
		if err != nil {
			return nil, err
		}
		t.add(count, full, thin)
		if os.Getenv("THINNED_KEEP") == "" || !t.differ() {
			os.RemoveAll(filepath.Dir(raw))
		}
	}
	return t, nil
}

func (p *program) verdict(raw string, full bool) (*verdict, error) {
	src, err := p.traceOf(raw, full)
	if err != nil {
		return nil, err
	}
	return judged(src)
}

func (t *totals) add(count int, full, thin *verdict) {
	t.programs += count
	racy := map[int]bool{}
	for _, seed := range full.seeds {
		racy[seed] = true
	}
	t.racy += len(racy)
	t.locations += len(full.races)
	t.accesses += full.accesses
	t.thin += thin.accesses
	for p := range full.pairs {
		t.pairs++
		if _, ok := thin.pairs[p]; !ok {
			t.second++
		}
	}
	for k, n := range full.outside {
		t.operations[k] += n
	}
	t.missing = append(t.missing, only(full, thin)...)
	t.false = append(t.false, only(thin, full)...)
}

// only lists the racing locations of a that b does not have.
func only(a, b *verdict) (list []difference) {
	for l, p := range a.races {
		if _, ok := b.races[l]; !ok {
			list = append(list, difference{a.seeds[l], l, p})
		}
	}
	slices.SortFunc(list, func(x, y difference) int {
		if x.seed != y.seed {
			return x.seed - y.seed
		}
		return int(x.addr) - int(y.addr)
	})
	return list
}
