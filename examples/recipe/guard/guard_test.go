package guard

import "testing"

func TestGuard(t *testing.T) {
	Run()
	_ = sy
}
