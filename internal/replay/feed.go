package replay

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// What a program asks for and what is not in the order of a trace: the choice of a select, what the
// clock says, random numbers, where a loop over a map begins. A schedule has the answers of the
// recorded run, for as long as a goroutine's steps last.

// input is what the program is fed.
type input struct {
	feeds   []feedOf // those of a goroutine one after the other
	process trace.Process
	asks    []asked
}

// feedOf is a result of a call in the recorded run.
type feedOf struct {
	gate  int
	site  trace.Site
	n     int // which of the values that the call records
	value uint64
}

// asked is a call in the witness that asks for something that is not fed.
type asked struct {
	gate        int
	site        trace.Site
	first, last int64 // events
}

// fed is how far a goroutine came with what it is fed.
type fed struct {
	n   uint64 // how much it took
	odd uint64 // 1 + the site at which it asked for something else than is next; 0: nowhere
	id  uint64 // the runtime's number of the goroutine
}

// The words that the gates of the two accesses see there: of each up to valueWords before it, and
// after.
const (
	valueWords = 4
	pairWords  = 4 * valueWords
)

// feeder is the pass over a trace that finds what the program is fed.
type feeder struct {
	s     *schedule
	sites Sites
	at    map[int64]int // step by event
	gs    map[trace.GoID]*feeding
}

// feeding is a goroutine of it.
type feeding struct {
	gate     int
	last     int64 // event of its last step
	choosing int   // step of the select under way, -1: none
	n        int   // values that the call under way has recorded
	asks     map[trace.Site]int
}

// feed goes over the trace once more and notes the inputs of the goroutines of the schedule.
func (s *schedule) feed(sites Sites, meta *trace.Meta, paths []Path, open func() (trace.Source, io.Closer, error)) error {
	if meta.Process != nil {
		s.process = *meta.Process
	}
	f := &feeder{s: s, sites: sites, at: map[int64]int{}, gs: map[trace.GoID]*feeding{}}
	last := int64(-1)
	for i := range s.steps {
		st := &s.steps[i]
		if st.index < 0 {
			continue
		}
		f.at[st.index] = i
		last = max(last, st.index)
		g := f.feeding(st.gate)
		g.last = max(g.last, st.index)
	}
	for _, p := range paths { // such a goroutine has steps after all its recorded events
		if k := slices.IndexFunc(s.gates, func(x gate) bool { return x.g == p.G }); k >= 0 {
			g := f.feeding(k)
			if g.last = p.Before - 1; p.Ended {
				g.last += beyond
			}
			last = max(last, p.Before)
		}
	}
	for site, what := range sites {
		if what.feeds() && int(site) < len(s.marks) {
			s.marks[site] |= markFed
		}
	}
	for _, g := range meta.Goroutines {
		if int(g.Site) < len(s.marks) && g.Site != 0 {
			s.marks[g.Site] |= markGo
		}
	}
	if len(sites) == 0 {
		return nil
	}
	if err := each(open, last+beyond, f.event); err != nil {
		return err
	}
	f.chosen(paths)
	slices.SortStableFunc(s.feeds, func(a, b feedOf) int { return a.gate - b.gate })
	return nil
}

// feeding returns the goroutine of a gate.
func (f *feeder) feeding(gate int) *feeding {
	id := f.s.gates[gate].g
	g := f.gs[id]
	if g == nil {
		g = &feeding{gate: gate, choosing: -1, asks: map[trace.Site]int{}}
		f.gs[id] = g
	}
	return g
}

func (f *feeder) event(i int64, e *trace.Event) {
	g := f.gs[e.G]
	if g == nil || e.Site == 0 {
		return
	}
	what := f.sites[e.Site]
	if what == nil {
		return
	}
	if k, ok := f.at[i]; ok && what.Select != "" {
		g.choosing = k
	}
	switch {
	case e.Kind == format.Value && g.choosing >= 0 && f.s.steps[g.choosing].site == e.Site:
		f.choice(&f.s.steps[g.choosing], what, int(int64(e.Val)))
		g.choosing = -1
	case i > g.last:
	case what.Asks != "":
		f.ask(g, i, e.Site)
	case e.Kind == format.OpaqueBegin:
		g.n = 0
	case e.Kind == format.Value && what.feeds():
		if g.n < len(what.Fed) && what.Fed[g.n] {
			f.s.feeds = append(f.s.feeds, feedOf{g.gate, e.Site, g.n, e.Val})
		}
		g.n++
	}
}

// chosen notes the cases of selects off the recorded paths.
func (f *feeder) chosen(paths []Path) {
	for i := range f.s.steps {
		st := &f.s.steps[i]
		what := f.sites[st.site]
		if st.index >= 0 || what == nil || what.Select == "" {
			continue
		}
		k := int(-1 - st.index) // the steps of all paths are numbered together
		for _, p := range paths {
			if k >= len(p.Steps) {
				k -= len(p.Steps)
				continue
			}
			switch {
			case p.Steps[k].Kind == format.SelectDefault:
				f.choice(st, what, -1)
			case k < len(p.Cases):
				f.choice(st, what, p.Cases[k])
			}
			break
		}
	}
}

// choice notes which case a select took; the last of its cases is −1, the default.
func (f *feeder) choice(st *step, what *Site, k int) {
	switch {
	case k < 0:
		st.choice = 1
	case k < len(what.Select):
		st.choice = uint64(what.position(k)) + 2
	}
}

func (f *feeder) ask(g *feeding, i int64, site trace.Site) {
	k, ok := g.asks[site]
	if !ok {
		k = len(f.s.asks)
		g.asks[site] = k
		f.s.asks = append(f.s.asks, asked{gate: g.gate, site: site, first: i})
	}
	f.s.asks[k].last = i
}

// feedWords is the table of what is fed, and where each gate's part begins.
func (s *schedule) feedWords() (words []uint64, from []uint64) {
	from = make([]uint64, len(s.gates)+1)
	for _, f := range s.feeds {
		words = append(words, uint64(f.site)|uint64(f.n)<<32, f.value)
		from[f.gate+1]++
	}
	for i := range s.gates {
		from[i+1] += from[i]
	}
	return words, from
}

// feedHeader fills in the words of the header that say what the process is fed, and which process
// it is.
func (s *schedule) feedHeader(words []uint64, v variant) {
	words[hdrFeeds] = uint64(len(s.feeds))
	words[hdrSeed] = s.process.Seed
	if s.process.Child {
		words[hdrArgs], words[hdrNth] = s.process.Args, uint64(s.process.Nth)
	}
	if v.hold {
		words[hdrHold], words[hdrLimit] = 1, 1<<62
	}
	if v.level >= strict {
		words[hdrPrefer] = 1
	}
}

// startedBy is what a goroutine is started by: a go statement, or, in code without gates, a
// function that is run.
func (k *walker) startedBy(g trace.GoID) uint64 {
	if site := k.begun[g]; site != 0 {
		return uint64(site)
	}
	if int(g) >= len(k.meta.Goroutines) {
		return 0
	}
	info := &k.meta.Goroutines[g]
	if info.Site != 0 {
		return uint64(info.Site)
	}
	return nameHash(info.Func)
}

// numberOf is the runtime's number of a goroutine in the recorded run.
func (k *walker) numberOf(g trace.GoID) uint64 {
	if int(g) >= len(k.meta.Goroutines) {
		return 0
	}
	return k.meta.Goroutines[g].RunID
}

// The bits of a site's mark, besides the one of a site that the schedule names.
const (
	markFed = 2
	markGo  = 4
)

// maxCauses is the number of causes that an outcome names.
const maxCauses = 3

// causes names what a goroutine asked for before an event that did not come, the last first.
func (s *schedule) causes(step *step, sites Sites, meta *trace.Meta) string {
	var list []asked
	for _, a := range s.asks {
		if a.first < step.index || step.index < 0 {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b asked) int { // of its own goroutine first
		if own := b2i(b.gate == step.gate) - b2i(a.gate == step.gate); own != 0 {
			return own
		}
		return int(b.last - a.last)
	})
	var texts []string
	for _, a := range list[:min(len(list), maxCauses)] {
		what := sites[a.site]
		texts = append(texts, fmt.Sprintf("goroutine %d asked for %s (%s, %s)", s.gates[a.gate].g, what.Asks, what.Name, place(meta, a.site)))
	}
	if len(texts) == 0 {
		return ""
	}
	return "; before it, " + strings.Join(texts, ", ") + ", which is not fed"
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// place is the line of a site.
func place(meta *trace.Meta, site trace.Site) string {
	info := &meta.Sites[site]
	if info.File < 0 || int(info.File) >= len(meta.Files) {
		return info.Name
	}
	return fmt.Sprintf("%s:%d", filepath.Base(meta.Files[info.File].Name), info.Line)
}
