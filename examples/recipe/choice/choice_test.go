package choice

import "testing"

func TestChoice(t *testing.T) {
	Run()
	_ = r
}
