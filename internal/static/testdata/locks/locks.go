// Package locks holds the ways in which Go takes locks.
package locks

import "sync"

type table struct {
	sync.RWMutex // embedded: the methods are promoted
	mu           sync.Mutex
	n, m, k, r   int
	rows         map[int]int
}

func (t *table) get(i int) int {
	t.RLock()
	defer t.RUnlock()
	return t.rows[i]
}

func (t *table) put(i, v int) {
	t.Lock()
	defer t.Unlock()
	t.rows[i] = v
}

// underRead writes under the read lock.
func (t *table) underRead() {
	t.RLock()
	t.r++ // want "underRead"
	t.RUnlock()
}

func with(l sync.Locker, f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}

func (t *table) locked() func() {
	t.mu.Lock()
	return t.mu.Unlock
}

func (t *table) alias() {
	l := &t.mu
	l.Lock()
	t.n++
	l.Unlock()
}

func (t *table) callback() {
	with(&t.mu, func() { t.n++ })
}

func (t *table) returned() {
	unlock := t.locked()
	t.n++
	unlock()
}

func (t *table) reader() {
	l := t.RLocker()
	l.Lock()
	_ = t.k
	l.Unlock()
}

func (t *table) writer() {
	t.Lock()
	t.k++
	t.Unlock()
}

func (t *table) wrong() {
	t.Lock()
	t.m++ // want "wrong"
	t.Unlock()
}

func (t *table) other() {
	t.mu.Lock()
	t.m++ // want "wrong"
	t.mu.Unlock()
}

func Run() {
	t := &table{rows: map[int]int{}}
	go t.put(1, 2)
	go t.get(1)
	go t.underRead()
	go t.underRead()
	go t.alias()
	go t.callback()
	go t.returned()
	go t.reader()
	go t.writer()
	go t.wrong()
	go t.other()
}

// Two holds the locks of two objects: each guards its own.
func Two() {
	a, b := &table{}, &table{}
	f := func(x, y *table) {
		x.mu.Lock()
		y.n++ // want "two"
		x.mu.Unlock()
	}
	go f(a, b)
	b.mu.Lock()
	b.n++ // want "two"
	b.mu.Unlock()
}
