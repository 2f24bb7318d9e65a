package replay

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// fit is a kept schedule found again in a program as it is now.
type fit struct {
	kept  *Kept
	plan  *plan.Plan
	root  string
	now   []outline
	sites map[int]trace.Site // by gate number; absent: the gate is gone
	// by function of the kept schedule: its index in now, -1: it is gone
	funcs   []int
	places  map[int]*outsidePlace // by gate number, of outside code; absent: the line is gone
	changed []string              // files of it that are not as they were
	same    bool                  // all Go source below the root is as it was
	dropped []int                 // numbers of steps whose gates are gone
}

// fitTo finds the gates of a kept schedule in a program.
func (k *Kept) fitTo(p *plan.Plan, root string, find func(file *outsidePlace) string) *fit {
	f := &fit{places: map[int]*outsidePlace{}, kept: k, plan: p, root: root, now: outlines(p, below(root)), sites: map[int]trace.Site{}}
	for _, s := range k.sources {
		if h, err := hashOf(filepath.Join(root, filepath.FromSlash(s.file))); err != nil || h != s.hash {
			f.changed = append(f.changed, s.file)
		}
	}
	tree, err := treeHash(root)
	f.same = err == nil && tree == k.tree
	first, last := k.pair()
	for _, i := range []int{first, last} {
		if _, g := k.gate(k.steps[i].gate); g != nil {
			g.pair = true
		}
	}
	for i := range k.places {
		f.outside(&k.places[i], find(&k.places[i].outsidePlace))
	}
	f.functions()
	for i, n := range f.funcs {
		if n < 0 {
			continue
		}
		old := k.funcs[i].gates
		for j, m := range align(old, f.now[n].gates) {
			if m >= 0 && old[j].number > 0 {
				f.sites[old[j].number] = f.now[n].gates[m].site
			}
		}
	}
	for i, n := range f.funcs {
		for j := range k.funcs[i].gates {
			if g := &k.funcs[i].gates[j]; n >= 0 && g.number > 0 && f.sites[g.number] == 0 {
				f.moved(g, f.now[n].name)
			}
		}
	}
	return f
}

// moved finds a gate that is in a literal of its function now, as when what it does was given to a
// Once, or in the function around it.
func (f *fit) moved(g *outlined, function string) {
	taken := map[trace.Site]bool{}
	for _, s := range f.sites {
		taken[s] = true
	}
	var found []trace.Site
	for i := range f.now {
		if o := f.now[i].name; o == function || !strings.HasPrefix(o, function+".") && !strings.HasPrefix(function, o+".") {
			continue
		}
		for j := range f.now[i].gates {
			if h := &f.now[i].gates[j]; g.alike(h) && !taken[h.site] {
				found = append(found, h.site)
			}
		}
	}
	if len(found) == 1 {
		f.sites[g.number] = found[0]
	}
}

// functions finds the functions: first those that are as they were, by their names and gates; then,
// because literals are numbered in the order of the source, the literals whose gates are most
// alike.
func (f *fit) functions() {
	old := f.kept.funcs
	f.funcs = make([]int, len(old))
	taken := map[int]bool{}
	take := func(i, n int) { f.funcs[i] = n; taken[n] = true }
	for i := range old {
		f.funcs[i] = -1
		n := slices.IndexFunc(f.now, func(o outline) bool { return o.name == old[i].name && o.pkg == old[i].pkg })
		if n >= 0 && (!literal(old[i].name) || likeness(&old[i], &f.now[n]) == 100) {
			take(i, n)
		}
	}
	for i := range old {
		if f.funcs[i] >= 0 {
			continue
		}
		best, most := -1, minLikeness-1
		for n := range f.now {
			o := &f.now[n]
			if taken[n] || o.pkg != old[i].pkg || literal(o.name) != literal(old[i].name) {
				continue
			}
			l := likeness(&old[i], o)
			if o.name == old[i].name {
				l += ownName
			}
			if l > most {
				best, most = n, l
			}
		}
		if best >= 0 {
			take(i, best)
		}
	}
}

const (
	minLikeness = 40 // of a function that has another name now, in hundredths
	ownName     = 40 // what its name counts
)

// literal reports whether a function has a number for a name.
func literal(name string) bool {
	name = name[strings.LastIndexByte(name, '/')+1:]
	return strings.Contains(name, ".func") || strings.Contains(name, "-range")
}

// gate is the gate of a step as it was, with its function.
func (k *Kept) gate(n int) (*outline, *outlined) {
	for i := range k.funcs {
		for j := range k.funcs[i].gates {
			if k.funcs[i].gates[j].number == n {
				return &k.funcs[i], &k.funcs[i].gates[j]
			}
		}
	}
	return nil, nil
}

// gone says what became of the first access of the race that the program has not any more; ok: it
// has both.
func (f *fit) gone() (o Verdict, why string, ok bool) {
	a, b := f.kept.pair()
	for _, n := range []int{a, b} {
		s := &f.kept.steps[n]
		if f.siteOf(s.gate) != 0 {
			continue
		}
		if at := f.kept.place(s.gate); at != nil {
			return NoLongerFits, fmt.Sprintf("step %d of %d, the %v in %s, is gone: no line of its file, which is not part of the program, reads as it did", n+1, len(f.kept.steps), s.kind, at), false
		}
		fn, g := f.kept.gate(s.gate)
		what := fmt.Sprintf("step %d of %d, the %s in %s (%s), is gone", n+1, len(f.kept.steps), what(g), fn.name, g.text)
		then, now := f.kept.count(fn.pkg, g), f.count(fn.pkg, g)
		switch {
		case f.lost(fn):
			return NoLongerFits, what + ": there is no such function any more, and none like it", false
		case then > 0 && now < then && f.named(fn.pkg, g):
			return NoLongerFeasible, what + ", and nothing like it has come elsewhere", false
		}
		return NoLongerFits, what + "; if it was moved, or its variable has another name, the race has to be kept anew", false
	}
	return "", "", true
}

func what(g *outlined) string {
	object := g.object
	if object == "" {
		object = g.expr
	}
	return g.kind + " of " + object
}

// lost reports whether a function is gone.
func (f *fit) lost(fn *outline) bool {
	for i := range f.kept.funcs {
		if &f.kept.funcs[i] == fn {
			return f.funcs[i] < 0
		}
	}
	return true
}

// access counts the gates of a package that are like an access of the race, as it was: one that was
// moved is not gone.
type access struct {
	pkg, kind, object string
	count             int
}

func (k *Kept) count(pkg string, g *outlined) int {
	for _, a := range k.accesses {
		if a.pkg == pkg && a.kind == g.kind && a.object == g.object {
			return a.count
		}
	}
	return 0
}

func (f *fit) count(pkg string, g *outlined) int { return countOf(f.now, pkg, g) }

func countOf(all []outline, pkg string, g *outlined) (n int) {
	for i := range all {
		for j := range all[i].gates {
			if h := &all[i].gates[j]; all[i].pkg == pkg && h.kind == g.kind && h.object == g.object {
				n++
			}
		}
	}
	return n
}

// named reports whether the variable of an access is still there by its name: one that is not may
// have another name now.
func (f *fit) named(pkg string, g *outlined) bool {
	name := g.object[strings.LastIndexAny(g.object, ". ")+1:]
	if name == "" {
		return false
	}
	for i := range f.now {
		for j := range f.now[i].gates {
			h := &f.now[i].gates[j]
			if f.now[i].pkg == pkg && (hasWord(h.object, name) || hasWord(h.expr, name) || hasWord(h.text, name)) {
				return true
			}
		}
	}
	return false
}

// hasWord reports whether a name stands in a text, and not within another one.
func hasWord(text, name string) bool {
	part := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	for i := 0; ; {
		j := strings.Index(text[i:], name)
		if j < 0 {
			return false
		}
		i += j
		end := i + len(name)
		if (i == 0 || !part(text[i-1])) && (end == len(text) || !part(text[end])) {
			return true
		}
		i = end
	}
}

// schedule makes the schedule for the program as it is. Steps whose gates are gone are left out. It
// is an error if a goroutine cannot be identified any more.
func (f *fit) schedule() (*schedule, error) {
	k := f.kept
	s := &schedule{apart: k.apart, pkg: k.Package, marks: make([]byte, len(f.plan.Sites))}
	s.process.Seed = k.seed
	if k.child != 0 {
		s.process.Child, s.process.Args, s.process.Nth = true, k.child, k.nth
	}
	for i := range f.now {
		for _, g := range f.now[i].gates {
			s.marks[g.site] = 1
		}
	}
	for i, g := range k.who {
		x, err := f.goroutine(i, g, s.marks)
		if err != nil {
			return nil, err
		}
		s.gates = append(s.gates, x)
	}
	f.steps(s)
	for i := range k.stops {
		if site := f.sites[k.stops[i].gate]; site != 0 {
			s.stops = append(s.stops, f.step(i, &k.stops[i], site))
		}
	}
	for _, d := range k.feeds {
		if site := f.sites[d.gate]; site != 0 {
			s.marks[site] |= markFed
			s.feeds = append(s.feeds, feedOf{d.who - 1, site, d.n, d.value})
		}
	}
	return s, nil
}

func (f *fit) goroutine(i int, g keptGoroutine, marks []byte) (gate, error) {
	x := gate{g: trace.GoID(i + 1), parent: uint64(g.parent), ordinal: uint64(g.ordinal), number: g.number, key: nameHash(g.name)}
	switch {
	case g.parent < 0:
		x.parent, x.key = ^uint64(0), 0
	case g.parent == 0:
		x.ordinal = nameHash(g.name)
	case g.gate > 0:
		site := f.sites[g.gate]
		if site == 0 {
			fn, at := f.kept.gate(g.gate)
			return x, fmt.Errorf("the go statement in %s (%s), which starts goroutine %d, is gone", fn.name, at.text, i+1)
		}
		marks[site] |= markGo
		x.key = uint64(site)
	}
	return x, nil
}

// outside finds a line of outside code in its file as it is now: the nearest one that reads as it
// did.
func (f *fit) outside(p *keptPlace, file string) {
	r := lineReader{}
	r.line(file, 1)
	best := 0
	for i := range r[file] {
		if p.text != "" && r.line(file, i+1) == p.text && (best == 0 || distance(i+1, p.line) < distance(best, p.line)) {
			best = i + 1
		}
	}
	if best > 0 {
		at := p.outsidePlace
		at.file, at.line = file, best
		f.places[p.number] = &at
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// siteOf is the site of a gate, noSite of one of outside code; 0: it is gone.
func (f *fit) siteOf(gate int) trace.Site {
	if f.places[gate] != nil {
		return noSite
	}
	return f.sites[gate]
}

// steps fills in the steps with their order.
func (f *fit) steps(s *schedule) {
	first, last := f.kept.pair()
	pair := [2]int{-1, -1}
	for i := range f.kept.steps {
		st := &f.kept.steps[i]
		site := f.siteOf(st.gate)
		if site == 0 {
			f.dropped = append(f.dropped, i+1)
			continue
		}
		switch i {
		case first:
			pair[0] = len(s.steps)
		case last:
			pair[1] = len(s.steps)
		}
		s.steps = append(s.steps, f.step(i, st, site))
	}
	s.steps[pair[0]].pair, s.steps[pair[1]].pair = pair[1], pair[0]
	order(s.steps, pair[0])
}

// bare is a schedule of the two accesses alone, each in the passage of its gate that it has in the
// witness.
func (f *fit) bare(s *schedule) *schedule {
	out := *s
	out.stops = nil
	n := len(s.steps)
	out.steps = []step{s.steps[s.steps[n-1].pair], s.steps[n-1]}
	for i := range out.steps {
		st := &out.steps[i]
		st.skip, st.pair, st.preds, st.choice = f.kept.steps[st.index-1].nth, 1-i, nil, 0
	}
	order(out.steps, 0)
	return &out
}

func (f *fit) step(i int, st *keptStep, site trace.Site) step {
	return step{gate: st.who - 1, site: site, place: f.places[st.gate], flags: st.flags, skip: st.skip, pair: -1, index: int64(i + 1),
		kind: st.kind, obj: trace.Addr(8 * st.object), choice: st.choice}
}

// lines are where the two accesses are now.
func (f *fit) lines() (a, b Line) {
	first, last := f.kept.pair()
	line := func(n int) Line {
		if at := f.places[f.kept.steps[n].gate]; at != nil {
			return at.Line()
		}
		info := &f.plan.Sites[f.sites[f.kept.steps[n].gate]]
		return Line{File: f.plan.Files[info.File].Name, Line: int(info.Line)}
	}
	return line(first), line(last)
}

// kindName is what a step does, for people.
func kindName(k format.Kind) string {
	if k == format.OpaqueBegin || k == format.OpaqueEnd {
		return "call"
	}
	return k.String()
}
