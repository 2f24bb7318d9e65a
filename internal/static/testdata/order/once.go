package order

import "sync"

type lazy struct {
	once sync.Once
	list []int
	hits int
}

// get comes after the Do of whoever was first (PA5).
func (l *lazy) get() int {
	l.once.Do(func() { l.list = []int{1} })
	l.hits++ // want "lazyhits"
	return len(l.list)
}

func Lazy() {
	l := &lazy{}
	for range 3 {
		go l.get()
	}
}

// Either starts one of two goroutines (BE4).
func Either(yes bool) {
	n, m := 0, 0
	if yes {
		go func() { n++ }()
	} else {
		go func() { n-- }()
	}
	go func() { m++ }() // want "either"
	go func() { m-- }() // want "either"
}
