package order

// Drained reads what the producer has written before it closed the channel (SY6).
func Drained(next func() (int, error)) error {
	out := make(chan int, 8)
	var failed error
	go func() {
		defer close(out)
		for {
			n, err := next()
			if err != nil {
				failed = err
				return
			}
			out <- n
		}
	}()
	for n := range out {
		if n > 3 {
			continue
		}
		println(n)
	}
	return failed
}

// Left goes away while the producer is still there.
func Left(next func() (int, error)) error {
	out := make(chan int, 8)
	var failed error
	go func() {
		defer close(out)
		for {
			n, err := next()
			if err != nil {
				failed = err // want "left"
				return
			}
			out <- n
		}
	}()
	for n := range out {
		if n > 3 {
			break
		}
		println(n)
	}
	return failed // want "left"
}

// Commas asks by the second result; what the producer does after close is beside it.
func Commas(n int) (int, int) {
	out := make(chan int)
	sum, after := 0, 0
	go func() {
		for i := range n {
			sum += i
			out <- i
		}
		close(out)
		after++ // want "after"
	}()
	for {
		if _, ok := <-out; !ok {
			break
		}
	}
	return sum, after // want "after"
}

// AnyOfTwo has two that may close it: one may be at work when the other has.
func AnyOfTwo(stop func() bool) int {
	out := make(chan int)
	sum := 0
	go func() {
		sum++ // want "either"
		if stop() {
			close(out) // want "twice"
		}
	}()
	go func() {
		if !stop() {
			close(out) // want "twice"
		}
	}()
	for range out {
	}
	return sum // want "either"
}

// Channels gives each goroutine its own element.
func Channels(n int) {
	in := make([]chan int, n)
	for i := range in {
		in[i] = make(chan int)
		go func() {
			for range in[i] {
			}
		}()
	}
	for i := range in {
		close(in[i])
	}
}
