package fig6

import "testing"

func TestFig6(t *testing.T) {
	Run()
	_ = taken
}
