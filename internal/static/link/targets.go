package link

import (
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// resolver finds the targets of calls through values.
type resolver struct {
	prog  *program
	reach *reach
	flows flows
	found map[lookup][]string
	given map[start]bool
}

// stored are the functions that come to memory or to a type.
func (rs *resolver) stored() map[string]bool {
	out := map[string]bool{}
	for _, from := range rs.flows {
		for _, s := range from {
			out[s.from] = true
		}
	}
	return out
}

// start is a go statement, and a function that a frame has found for it (SY2).
type start struct {
	pos summary.Pos
	fn  string
}

// findGiven finds the goroutines whose function a caller of their starter gives.
func (rs *resolver) findGiven(keys []string) {
	rs.given = map[start]bool{}
	for _, k := range keys {
		for _, e := range rs.prog.sums[k].Edges {
			if e.Thread > 0 && e.Pos.Func != k {
				rs.given[start{e.Pos, e.Callee}] = true
			}
		}
	}
}

// flows says which functions and concrete types come where calls through values may find them, by
// class of memory or type.
type flows map[string][]source

// source is what comes to a place, and the processes whose text says so; none if no command reaches
// that text.
type source struct {
	from string
	by   processes
}

// maxTargets bounds the targets of a call through a value; one with more stays unknown (LI10).
const maxTargets = 10

// findFlows gathers the flows of all functions.
func (rs *resolver) findFlows(keys []string) {
	rs.flows, rs.found = flows{}, map[lookup][]string{}
	seen := map[summary.Flow]int{}
	for _, k := range keys {
		for _, f := range rs.prog.sums[k].Flows {
			f.Same = 0
			if f.To == "" {
				continue
			}
			by := rs.reach.by[k]
			i, ok := seen[f]
			if !ok {
				seen[f] = len(rs.flows[f.To])
				rs.flows[f.To] = append(rs.flows[f.To], source{f.From, by})
			} else if to := rs.flows[f.To]; true {
				to[i].by |= by
			}
		}
	}
}

// maxFlows bounds what is looked at for the targets of one call: not all of it has the method.
const maxFlows = 4 * maxTargets

// sources lists what comes to a place, through other interfaces too, as far as the processes p see
// it: in a closed program what no command makes comes to no call that a command makes (LI6). false
// if it is more than most.
func (rs *resolver) sources(place string, p processes, most int) ([]string, bool) {
	var out []string
	seen := map[string]bool{place: true}
	for queue := []string{place}; len(queue) > 0; queue = queue[1:] {
		for _, s := range rs.flows[queue[0]] {
			if seen[s.from] || !rs.reach.sees(p, s.by) {
				continue
			}
			seen[s.from] = true
			if _, place := rs.flows[s.from]; place {
				queue = append(queue, s.from)
			}
			if out = append(out, s.from); len(out) > most {
				return nil, false
			}
		}
	}
	return out, true
}

// targets lists the functions that a hole of a function may call (LI10); nil if that is not
// known, or if they are too many.
func (rs *resolver) targets(key string, h *summary.Hole) []string {
	if h.Value == nil || h.Value.Kind == path.Func {
		return nil
	}
	var out []string
	p := rs.reach.by[key]
	if h.Value.Kind == path.Load {
		out = rs.methods(h.Value.Base.Class(), h.Method, p, 0)
	}
	if len(out) == 0 && h.Method != "" {
		out = rs.methods(h.Iface, h.Method, p, 0)
		if len(out) == 0 && len(rs.flows[h.Iface]) == 0 && !rs.reach.closed {
			out = rs.methods(summary.Offered+h.Iface, h.Method, p, 0)
		}
	}
	return out
}

// lookup is a call of a value that is read from a place, below some embedded fields.
type lookup struct {
	place, method string
	by            processes
	depth         int
}

// methods lists the functions that a value which is read from the place calls.
func (rs *resolver) methods(place, method string, p processes, depth int) []string {
	k := lookup{place, method, p, depth}
	out, ok := rs.found[k]
	if !ok {
		out = rs.find(place, method, p, depth)
		rs.found[k] = out
	}
	return out
}

func (rs *resolver) find(place, method string, p processes, depth int) []string {
	from, ok := rs.sources(place, p, maxFlows)
	if !ok {
		return nil
	}
	var out []string
	for _, f := range from {
		for _, key := range rs.functions(f, method, p, depth) {
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	if len(out) > maxTargets {
		return nil
	}
	slices.Sort(out)
	return out
}

// maxPromoted bounds the embedded fields through which a method is looked for.
const maxPromoted = 3

// functions are the keys of a function that comes to a place, or of the method of a type that does
// (LI10); none if it has no summary. The key of a method value keeps its suffix, but for that of an
// interface, which is a function of its own.
func (rs *resolver) functions(from, method string, p processes, depth int) []string {
	key := from
	if method != "" {
		typ := from + rs.prog.parameters[strings.TrimPrefix(from, "*")]
		key = "(" + typ + ")." + method
		if rs.prog.sums[key] == nil && strings.HasPrefix(typ, "*") {
			// a method of the value, by its pointer
			key = "(" + typ[1:] + ")." + method
		}
	}
	switch {
	case rs.prog.sums[key] != nil, rs.prog.sums[strings.TrimSuffix(key, boundSuffix)] != nil:
		return []string{key}
	case method == "" || depth == maxPromoted:
		return nil
	}
	var out []string
	for _, s := range slices.Concat(rs.flows["("+from+")."+method], rs.flows["("+strings.TrimPrefix(from, "*")+")."+method]) {
		i := strings.LastIndex(s.from, ").")
		embedded := strings.TrimPrefix(s.from[:i], "(")
		if _, iface := rs.flows[embedded]; iface {
			out = append(out, rs.methods(embedded, method, p, depth+1)...)
		} else {
			out = append(out, rs.functions(embedded, method, p, depth+1)...)
		}
	}
	return out
}

// fillHoles makes calls of the holes whose targets are known. A hole that a caller has taken over
// is filled there if it could not be where it stands.
func (rs *resolver) fillHoles(keys []string, n *Counts) {
	rs.findFlows(keys)
	rs.findGiven(keys)
	rs.prog.filled = map[string][]summary.Edge{}
	done := map[summary.Pos]bool{}
	for _, own := range []bool{true, false} {
		for _, k := range keys {
			f := rs.prog.sums[k]
			if f.Whole {
				continue
			}
			for i := range f.Holes {
				h := &f.Holes[i]
				if own != (h.Pos.Func == k) || !own && done[h.Pos] {
					continue
				}
				if own {
					n.Holes++
				}
				if targets := rs.targets(k, h); len(targets) > 0 {
					rs.fill(k, h, targets)
					done[h.Pos] = true
				}
			}
		}
	}
	n.Filled = len(done)
}

// fill makes calls of a hole.
func (rs *resolver) fill(key string, h *summary.Hole, targets []string) {
	for _, t := range targets {
		e := summary.Edge{Args: h.Args, Locks: h.Locks, Thread: h.Thread, Forked: forks(h), Started: h.Sync.Released, Sync: h.Sync, Pos: h.Pos, Owned: summary.Owned{Args: rs.owned(key, h)}}
		e.Callee = t
		if method, bound := strings.CutSuffix(t, boundSuffix); bound && rs.prog.sums[method] != nil {
			e.Callee = method
			e.Args = append([]*path.Node{nil}, h.Args...) // the receiver is in the value
			e.Owned.Args <<= 1
		}
		e.Apart = setApart(h.Sync.Released)
		if h.Go {
			if rs.given[start{h.Pos, e.Callee}] {
				continue
			}
			e.Thread = unknownThread
		}
		if h.Test != nil && rs.prog.sums[e.Callee] != nil && mayCallParallel(rs.prog.sums[e.Callee]) {
			e.Test, e.Loop, e.Thread = true, h.Loop, unknownThread
		}
		rs.prog.filled[key] = append(rs.prog.filled[key], e)
	}
}

// owned are the arguments of a hole that are objects of the function, and that no other goroutine
// reaches when it returns: options that a caller's functions fill in.
func (rs *resolver) owned(key string, h *summary.Hole) uint32 {
	var bits uint32
	for i, a := range h.Args {
		if i >= 31 || a == nil || h.Thread > 0 || h.Go {
			continue
		}
		r := a.Strip().Root()
		if r.Kind == path.Alloc && a.Loads() == 0 && !slices.Contains(rs.prog.sums[key].Escaped, r) {
			bits |= 1 << i
		}
	}
	return bits
}

// forks reports whether a goroutine may have been started before the call.
func forks(h *summary.Hole) bool {
	for o := range h.Sync.Released {
		if o.Kind == path.Token && o.Base == nil {
			return true
		}
	}
	return false
}
