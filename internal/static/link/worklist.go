package link

import (
	"container/heap"
)

// worklist holds the functions whose contexts are to be carried on, callers before callees where
// there is no cycle: so most functions are visited once, when all that enters them is known.
type worklist struct {
	rank   map[string]int // of a function: the later it is called, the higher
	queue  []string
	queued map[string]bool
}

func (w *worklist) Len() int { return len(w.queue) }

func (w *worklist) Less(i, j int) bool { return w.rank[w.queue[i]] < w.rank[w.queue[j]] }

func (w *worklist) Swap(i, j int) { w.queue[i], w.queue[j] = w.queue[j], w.queue[i] }

func (w *worklist) Push(x any) { w.queue = append(w.queue, x.(string)) }

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
