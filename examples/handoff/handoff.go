// Package handoff: no race. An unbuffered channel hands the data over.
package handoff

type message struct{ body string }

// Run sends a message and waits for the answer in the same struct.
func Run() string {
	ch, back := make(chan *message), make(chan struct{})
	go func() {
		m := <-ch
		m.body += ", world"
		back <- struct{}{}
	}()
	m := &message{body: "hello"}
	ch <- m
	<-back
	return m.body
}
