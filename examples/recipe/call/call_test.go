package call

import "testing"

func TestCall(t *testing.T) {
	Run()
	_ = r
}
