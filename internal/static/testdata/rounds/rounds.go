// Package rounds holds goroutines of a loop that each have an object of their own (IS2).
package rounds

type listener struct {
	n     int
	total int
}

func (l *listener) run() {
	l.n++
	l.total++ // want "total"
}

// Keys starts one goroutine for each key of a map.
func Keys(all map[*listener]bool) {
	for l := range all {
		go l.run()
	}
	for l := range all { // the same ones
		l.total = 0 // want "total"
	}
}

type worker struct{ n, sum int }

func (w *worker) run(sum *int) {
	w.n++
	*sum++ // want "sum"
}

// Values starts one goroutine for each value.
func Values(all map[string]*worker) {
	sum := 0
	for _, w := range all {
		go w.run(&sum)
	}
}

type task struct{ n int }

func (t *task) run() { t.n++ }

// Received starts one goroutine for each object that it receives.
func Received(in chan *task) {
	for t := range in {
		go t.run()
	}
}

type source interface{ next() *job }

type job struct{ n int }

func (j *job) run() { j.n++ }

// Returned starts one goroutine for each object that a call returns: code other-round.
func Returned(s source) {
	for {
		go s.next().run()
	}
}
