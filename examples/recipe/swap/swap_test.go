package swap

import "testing"

func TestSwap(t *testing.T) {
	Run()
	_ = r
}
