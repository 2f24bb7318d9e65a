package racy

import "testing"

func TestRun(t *testing.T) {
	var s S
	s.Run()
	done := make(chan int)
	x := 0
	go func() {
		x = 1 // want `write of x may race with write at racy_test.go:14:2`
		close(done)
	}()
	x = 2
	<-done
	_ = x
}
