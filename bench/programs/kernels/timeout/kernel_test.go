// Package timeout is a request with a time limit. Handler and caller both write the response: the
// handler when it is done, and the caller when the time is over. In most runs the handler is in
// time, and the channel orders it before all that the caller does.
package timeout

import (
	"testing"
	"time"
)

type response struct{ text string }

func TestTimeout(t *testing.T) {
	r := &response{}
	done := make(chan bool, 1)
	go func() {
		r.text = "answer" // race
		done <- true
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Millisecond):
		r.text = "too late" // race
	}
	t.Log(r.text) // race
}

func TestTimeoutFixed(t *testing.T) {
	done := make(chan *response, 1)
	go func() { done <- &response{"answer"} }()
	var r *response
	select {
	case r = <-done:
	case <-time.After(20 * time.Millisecond):
		r = &response{"too late"}
	}
	t.Log(r.text)
}
