package dynamic

import "testing"

func TestDynamic(t *testing.T) {
	Run()
	_ = r
}
