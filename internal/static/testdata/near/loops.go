package near

import "sync"

// Cells has a variable for each round (SY1).
func Cells(in []int) []int {
	var wg sync.WaitGroup
	out := make([]int, len(in))
	last := 0
	for i := 0; i < len(in); i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			out[i] = in[i]
			last = i // want "last"
		}()
	}
	wg.Wait()
	return append(out, last)
}

type link struct {
	n    int
	next *link
}

func List(l *link) {
	for n := l; n != nil; n = n.next {
		go func() { n.n++ }()
	}
}

// Passes has goroutines that each come to all entries, and goroutines that each have one (IS2).
func Passes(cells map[string]*link, rows []int) {
	for i := range rows {
		go func() {
			for _, c := range cells {
				c.n++ // want "passes"
			}
			rows[i]++
		}()
	}
}
