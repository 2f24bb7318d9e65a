package fig3

import "testing"

func TestFig3(t *testing.T) {
	Run()
	_ = w
}
