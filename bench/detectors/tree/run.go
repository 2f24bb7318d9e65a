package tree

import (
	"fmt"
	"maps"
	"time"

	"github.com/presage-race/presage/internal/detect"
	"github.com/presage-race/presage/internal/detect/fasttrack"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/detect/tree"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// result is what a detector says of a trace.
type result struct {
	pairs             map[[2]trace.Site]bool
	dropped, accesses int64
	two, returned     int64
}

func run(events []trace.Event, opt detect.Options) result {
	d, err := detect.New(opt)
	if err != nil {
		panic(err)
	}
	r := result{pairs: map[[2]trace.Site]bool{}}
	for i := range events {
		if events[i].Kind.IsAccess() {
			r.accesses++
		}
		if d.Step(int64(i), &events[i]) {
			r.dropped++
		}
	}
	for _, p := range d.Pairs() {
		r.pairs[[2]trace.Site{min(p.A.Site, p.B.Site), max(p.A.Site, p.B.Site)}] = true
	}
	for _, c := range d.Counts() {
		switch c.Name {
		case "TreeTwoGoroutines":
			r.two = c.Count
		case "TreeLockReturned":
			r.returned = c.Count
		}
	}
	return r
}

// words names words of memory; one that is allocated anew is another.
type words map[trace.Addr]int64

func (w words) step(i int64, e *trace.Event) {
	if e.Kind == format.Alloc {
		w[e.Obj&^7] = i + 1
	}
}

type word struct {
	addr trace.Addr
	born int64
}

func (w words) of(addr trace.Addr) word { return word{addr &^ 7, w[addr&^7]} }

// firsts gives the first race of each word by FastTrack, with a filter if there is one.
func firsts(events []trace.Event, filter *tree.Filter) map[word]int64 {
	first, names := map[word]int64{}, words{}
	f := fasttrack.New(true, func(shadow.Access, shadow.Access, format.Addr) {})
	f.First = func(i int64, addr format.Addr, _ uint8) {
		if _, known := first[names.of(addr)]; !known {
			first[names.of(addr)] = i
		}
	}
	for i := range events {
		names.step(int64(i), &events[i])
		if filter == nil || !filter.Drop(&events[i]) {
			f.Step(int64(i), &events[i])
		}
	}
	return first
}

// spans compares the words that race with and without span redundancy, which keeps them.
func (b *bench) spans(kind string, n uint64, events []trace.Event) {
	want := firsts(events, nil)
	b.racy += len(want)
	filter, err := tree.New(tree.FastTrack, tree.Options{Span: true})
	if err != nil {
		panic(err)
	}
	if thin := firsts(events, filter); !maps.EqualFunc(want, thin, func(int64, int64) bool { return true }) {
		b.complain("%s %d: first races of words %v, with span redundancy %v", kind, n, want, thin)
	}
}

func (b *bench) print() {
	total := 0
	for _, n := range b.traces {
		total += n
	}
	fmt.Printf("%d traces, %d events; %d words race, with span redundancy too; %d programs exceeded a limit; %.0f s\n\n",
		total, b.events, b.racy, b.limits, time.Since(b.begun).Seconds())
	fmt.Println("| traces | engine | pairs | dropped | by two goroutines | locks that gave a context back | traces that differ | room for 4 histories: dropped, differ | thesis: dropped, differ, pairs lost, more |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, kind := range []string{"loops", "windows", "programs"} {
		for _, engine := range []detect.Engine{detect.FastTrack, detect.Lockset, detect.Hybrid} {
			if b.tallies[kind] == nil {
				continue
			}
			t := &b.tallies[kind][engine]
			share := func(m mode) string {
				return fmt.Sprintf("%.1f %%", 100*float64(t.dropped[m])/float64(max(1, t.access[m])))
			}
			fmt.Printf("| %s, %d | %v | %d | %s | %d | %d | %d | %s, %d | %s, %d, %d, %d |\n", kind, b.traces[kind], engine, t.pairs,
				share(filtered), t.two, t.returned, t.differ[filtered], share(small), t.differ[small], share(written), t.differ[written], t.lost[written], t.more[written])
			if engine == detect.FastTrack {
				fmt.Printf("| | fasttrack, span | | %s | | | %d, all on locations that race both ways | | |\n", share(span), t.differ[span])
			}
		}
	}
}
