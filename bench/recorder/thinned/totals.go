package thinned

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// totals are what the judge has seen.
type totals struct {
	programs, racy int
	locations      int // racing, in the full traces
	accesses, thin int64
	second         int // pairs of lines that only a full trace has, in all batches
	pairs          int // and pairs that one has at all
	missing, false []difference
	asked          int // reads of what emitted code has written, by byte (SC7)
	unread         []unread
	operations     map[string]int
}

// difference is a location that races in one of the two traces.
type difference struct {
	seed int
	location
	lines
	full, thin []string // the accesses of the byte in the two traces
}

func (t *totals) differ() bool { return len(t.missing)+len(t.false)+len(t.unread) > 0 }

func (t *totals) String() string {
	return fmt.Sprintf("%d programs, %d with races (%.0f %%); %d racing locations; only in the full traces %d, only in the thinned ones %d; second lines lost %d of %d; reads of emitted writes, by byte: %d, not in the thinned traces %d; accesses of outside code %d, kept %d",
		t.programs, t.racy, 100*float64(t.racy)/float64(max(1, t.programs)), t.locations, len(t.missing), len(t.false), t.second, t.pairs, t.asked, len(t.unread), t.accesses, t.thin)
}

// print prints the differences of the smallest seed.
func (t *totals) print(w io.Writer) {
	for _, u := range t.unread[:min(len(t.unread), 20)] {
		fmt.Fprintf(w, "not in the thinned trace: %v\n", u)
	}
	if len(t.missing)+len(t.false) == 0 {
		return
	}
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
				for _, x := range d.full {
					fmt.Fprintln(w, "\t\tfull ", x)
				}
				for _, x := range d.thin {
					fmt.Fprintln(w, "\t\tthinned ", x)
				}
			}
		}
	}
}

// judge runs n programs and compares their traces. If first is set, it stops where it finds a
// difference.
func (p *program) judge(ctx context.Context, seed, n int, first bool, env ...string) (*totals, error) {
	t := &totals{operations: map[string]int{}}
	for at := seed; at < seed+n && !(first && t.differ()); at += batch {
		count := min(batch, seed+n-at)
		u, err := p.compare(ctx, []string{fmt.Sprint(at), fmt.Sprint(count)}, count, env...)
		if err != nil {
			return nil, err
		}
		t.add(u)
	}
	return t, nil
}

// compare runs programs in one process and compares its traces.
func (p *program) compare(ctx context.Context, args []string, programs int, env ...string) (*totals, error) {
	raw, err := p.run(ctx, args, env...)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(filepath.Dir(raw))
	full, err := p.verdict(raw, true)
	if err != nil {
		return nil, err
	}
	thin, err := p.verdict(raw, false)
	if err != nil {
		return nil, err
	}
	return compared(programs, full, thin), nil
}

func (p *program) verdict(raw string, full bool) (*verdict, error) {
	src, err := p.traceOf(raw, full)
	if err != nil {
		return nil, err
	}
	return judged(src)
}

// compared are the totals of two traces of a process.
func compared(programs int, full, thin *verdict) *totals {
	t := &totals{programs: programs, locations: len(full.races), accesses: full.accesses, thin: thin.accesses, pairs: len(full.pairs), operations: full.operations}
	racy := map[int]bool{}
	for _, seed := range full.seeds {
		racy[seed] = true
	}
	t.racy = len(racy)
	for p := range full.pairs {
		if _, ok := thin.pairs[p]; !ok {
			t.second++
		}
	}
	t.missing, t.false = only(full, thin), only(thin, full)
	t.asked, t.unread = len(full.reads.asked), unreads(full, thin)
	for _, list := range [][]difference{t.missing, t.false} {
		for i := range list[:min(len(list), 10)] {
			list[i].full, list[i].thin = full.history(list[i].location), thin.history(list[i].location)
		}
	}
	return t
}

// add adds the totals of another process.
func (t *totals) add(u *totals) {
	t.programs, t.racy, t.locations = t.programs+u.programs, t.racy+u.racy, t.locations+u.locations
	t.accesses, t.thin = t.accesses+u.accesses, t.thin+u.thin
	t.second, t.pairs = t.second+u.second, t.pairs+u.pairs
	t.asked, t.unread = t.asked+u.asked, append(t.unread, u.unread...)
	t.missing, t.false = append(t.missing, u.missing...), append(t.false, u.false...)
	for k, n := range u.operations {
		t.operations[k] += n
	}
}

// only lists the racing locations of a that b does not have.
func only(a, b *verdict) (list []difference) {
	for l, p := range a.races {
		if _, ok := b.races[l]; !ok {
			list = append(list, difference{seed: a.seeds[l], location: l, lines: p})
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
