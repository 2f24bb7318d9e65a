package link

import (
	"maps"
	"slices"
	"strings"

	"presage/internal/relay/order"
	"presage/internal/relay/path"
)

// started knows which goroutines may have been started where main is (R13).
type started struct {
	tokens   map[string]map[string]bool // by function that main reaches: go statements that main may have executed before it enters it
	roots    map[string][]int           // goroutines by go statement
	children map[int][]int              // goroutines that a goroutine starts
	always   []int                      // goroutines whose go statement is not known
	known    map[string]map[int]bool    // by function and what it has started itself, what may run
}

// statement is the go statement of a Token, without the calls that lead to it; "" of other objects.
func statement(o *path.Node) string {
	if o.Kind != path.Token || o.Base != nil {
		return ""
	}
	s, _, _ := strings.Cut(o.Name, "@")
	return s
}

// findStarted carries from main along its calls which go statements it may have executed.
func (l *linker) findStarted() {
	s := &started{tokens: map[string]map[string]bool{}, roots: map[string][]int{}, children: map[int][]int{}, known: map[string]map[int]bool{}}
	l.started = s
	var work []string
	for i, r := range l.roots {
		switch {
		case r.kind == first:
			s.tokens[r.fn] = map[string]bool{}
			work = append(work, r.fn)
		case r.kind != spawned:
		case r.spawn == nil:
			s.always = append(s.always, i)
		default:
			at := statement(r.spawn.Token)
			s.roots[at] = append(s.roots[at], i)
			for _, c := range l.contexts[r.by] {
				for _, p := range c.roots {
					if l.roots[p].kind == spawned {
						s.children[p] = append(s.children[p], i)
					}
				}
			}
		}
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		here := s.tokens[key]
		for _, e := range l.calls(key) {
			if e.Thread != 0 || l.sums[e.Callee] == nil {
				continue
			}
			there, seen := s.tokens[e.Callee]
			n := len(there)
			if !seen {
				there = map[string]bool{}
				s.tokens[e.Callee] = there
			}
			maps.Copy(there, here)
			for _, t := range tokens(e.Started) {
				there[t] = true
			}
			if !seen || len(there) > n {
				work = append(work, e.Callee)
			}
		}
	}
}

// mayRun reports whether the goroutine of a root may have been started when main makes the access of the site.
func (s *started) mayRun(root int, at *site) bool {
	own := tokens(at.access.Sync.Released)
	key := at.fn.Key + "\n" + strings.Join(own, "\n")
	run, ok := s.known[key]
	if !ok {
		run = map[int]bool{}
		queue := slices.Clone(s.always)
		for t := range s.tokens[at.fn.Key] {
			queue = append(queue, s.roots[t]...)
		}
		for _, t := range own {
			queue = append(queue, s.roots[t]...)
		}
		for ; len(queue) > 0; queue = queue[1:] {
			if i := queue[0]; !run[i] {
				run[i] = true
				queue = append(queue, s.children[i]...)
			}
		}
		s.known[key] = run
	}
	return run[root]
}

// tokens lists the go statements among released objects.
func tokens(c order.Counts) []string {
	var out []string
	for o := range c {
		if t := statement(o); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
