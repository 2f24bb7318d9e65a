package link

import (
	"slices"
	"strings"

	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// flows says which functions and concrete types come where calls through values may find them, by class of memory or type.
type flows map[string][]string

// maxTargets bounds the targets of a call through a value; one with more stays unknown (H3).
const maxTargets = 10

// findFlows gathers the flows of all functions.
func findFlows(keys []string, sums map[string]*summary.Function) flows {
	in := flows{}
	seen := map[summary.Flow]bool{}
	for _, k := range keys {
		for _, f := range sums[k].Flows {
			f.Same = 0
			if !seen[f] {
				seen[f] = true
				in[f.To] = append(in[f.To], f.From)
			}
		}
	}
	return in
}

// maxFlows bounds what is looked at for the targets of one call: not all of it has the method.
const maxFlows = 4 * maxTargets

// of lists what comes to a place, through other interfaces too.
func (in flows) of(place string) []string {
	var out []string
	seen := map[string]bool{place: true}
	for queue := []string{place}; len(queue) > 0; queue = queue[1:] {
		for _, from := range in[queue[0]] {
			if seen[from] {
				continue
			}
			seen[from] = true
			if _, place := in[from]; place {
				queue = append(queue, from)
			}
			out = append(out, from)
		}
	}
	return out
}

// targets lists the functions that a hole may call (H1, H2); nil if that is not known, or if they are too many.
func (l *linker) targets(h *summary.Hole) []string {
	if h.Value == nil || h.Value.Kind == path.Func {
		return nil
	}
	var out []string
	if h.Value.Kind == path.Load {
		out = l.methods(h.Value.Base.Class(), h.Method)
	}
	if len(out) == 0 && h.Method != "" {
		out = l.methods(h.Iface, h.Method)
		if len(out) == 0 && len(l.flows.of(h.Iface)) == 0 {
			out = l.methods(summary.Offered+h.Iface, h.Method)
		}
	}
	return out
}

// methods lists the functions that a value which is read from the place calls.
func (l *linker) methods(place, method string) []string {
	from := l.flows.of(place)
	if len(from) > maxFlows {
		return nil
	}
	var out []string
	for _, f := range from {
		if key := l.function(f, method); key != "" && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	if len(out) > maxTargets {
		return nil
	}
	slices.Sort(out)
	return out
}

// function is the key of a function that comes to a place, or of the method of a type that does; "" if it has no summary. The key of a method
// value keeps its suffix.
func (l *linker) function(from, method string) string {
	key := from
	if method != "" {
		key = "(" + from + ")." + method
		if l.sums[key] == nil && strings.HasPrefix(from, "*") { // a method of the value, by its pointer
			key = "(" + from[1:] + ")." + method
		}
	}
	if l.sums[strings.TrimSuffix(key, boundSuffix)] == nil {
		return ""
	}
	return key
}

// fillHoles makes calls of the holes whose targets are known. A hole that a caller has taken over is filled there if it could not be where
// it stands.
func (l *linker) fillHoles(keys []string, n *Counts) {
	l.flows = findFlows(keys, l.sums)
	l.filled = map[string][]summary.Edge{}
	done := map[summary.Pos]bool{}
	for _, own := range []bool{true, false} {
		for _, k := range keys {
			f := l.sums[k]
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
				if targets := l.targets(h); len(targets) > 0 {
					l.fill(k, h, targets)
					done[h.Pos] = true
				}
			}
		}
	}
	n.Filled = len(done)
}

// fill makes calls of a hole.
func (l *linker) fill(key string, h *summary.Hole, targets []string) {
	for _, t := range targets {
		e := summary.Edge{Args: h.Args, Locks: h.Locks, Thread: h.Thread, Forked: forks(h), Started: h.Sync.Released, Sync: h.Sync, Pos: h.Pos, Owned: summary.Owned{Args: l.owned(key, h)}}
		var bound bool
		if e.Callee, bound = strings.CutSuffix(t, boundSuffix); bound {
			e.Args = append([]*path.Node{nil}, h.Args...) // the receiver is in the value
			e.Owned.Args <<= 1
		}
		e.Apart = setApart(h.Sync.Released)
		if h.Go {
			e.Thread = unknownThread
		}
		if h.Test != nil && l.sums[e.Callee] != nil && mayCallParallel(l.sums[e.Callee]) {
			e.Test, e.Loop, e.Thread = true, h.Loop, unknownThread
		}
		l.filled[key] = append(l.filled[key], e)
	}
}

// owned are the arguments of a hole that are objects of the function, and that no other goroutine reaches when it returns: options
// that a caller's functions fill in.
func (l *linker) owned(key string, h *summary.Hole) uint32 {
	var bits uint32
	for i, a := range h.Args {
		if i >= 31 || a == nil || h.Thread > 0 || h.Go {
			continue
		}
		r := a.Strip().Root()
		if r.Kind == path.Alloc && a.Loads() == 0 && !slices.Contains(l.sums[key].Escaped, r) {
			bits |= 1 << i
		}
	}
	return bits
}

// boundSuffix ends the name of a method value.
const boundSuffix = "$bound"

// unknownThread is the thread of a go statement whose function is known only here.
const unknownThread = -1

// forks reports whether a goroutine may have been started before the call.
func forks(h *summary.Hole) bool {
	for o := range h.Sync.Released {
		if o.Kind == path.Token && o.Base == nil {
			return true
		}
	}
	return false
}

// calls lists the known calls of a function.
func (l *linker) calls(key string) []summary.Edge {
	f := l.sums[key]
	if f == nil {
		return nil
	}
	if more := l.filled[key]; more != nil {
		return append(slices.Clip(f.Edges), more...)
	}
	return f.Edges
}
