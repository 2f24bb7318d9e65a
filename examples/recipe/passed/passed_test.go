package passed

import "testing"

func TestPassed(t *testing.T) {
	Run()
	_ = r
}
