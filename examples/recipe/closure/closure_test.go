package closure

import "testing"

func TestClosure(t *testing.T) {
	Run()
	_ = r
}
