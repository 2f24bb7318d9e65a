package link

import (
	"container/heap"
	"slices"
)

// worklist holds the functions whose contexts are to be carried on, callers before callees where
// there is no cycle: so most functions are visited once, when all that enters them is known.
type worklist struct {
	rank   map[string]int // of a function: the later it is called, the higher
	queue  []string
	queued map[string]bool
}

// order ranks the functions by a depth-first search along the calls. It is iterative: chains of
// calls are long.
func (l *linker) order(keys []string) {
	type frame struct {
		key   string
		calls []string
	}
	callees := func(key string) []string {
		var out []string
		for _, e := range l.calls(key) {
			if e.Thread == 0 && l.sums[e.Callee] != nil {
				out = append(out, e.Callee)
			}
		}
		return out
	}
	seen := map[string]bool{}
	next := len(keys)
	for _, k := range slices.Backward(keys) {
		if seen[k] {
			continue
		}
		seen[k] = true
		stack := []frame{{k, callees(k)}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.calls) == 0 {
				l.rank[top.key] = next // reverse postorder
				next--
				stack = stack[:len(stack)-1]
				continue
			}
			c := top.calls[0]
			top.calls = top.calls[1:]
			if !seen[c] {
				seen[c] = true
				stack = append(stack, frame{c, callees(c)})
			}
		}
	}
}

func (w *worklist) Len() int           { return len(w.queue) }
func (w *worklist) Less(i, j int) bool { return w.rank[w.queue[i]] < w.rank[w.queue[j]] }
func (w *worklist) Swap(i, j int)      { w.queue[i], w.queue[j] = w.queue[j], w.queue[i] }
func (w *worklist) Push(x any)         { w.queue = append(w.queue, x.(string)) }

func (w *worklist) Pop() any {
	last := w.queue[len(w.queue)-1]
	w.queue = w.queue[:len(w.queue)-1]
	return last
}

func (w *worklist) push(key string) {
	if !w.queued[key] {
		w.queued[key] = true
		heap.Push(w, key)
	}
}

// pop takes out the function that comes first.
func (w *worklist) pop() string {
	key := heap.Pop(w).(string)
	delete(w.queued, key)
	return key
}
