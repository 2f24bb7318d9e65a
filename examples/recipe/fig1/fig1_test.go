package fig1

import "testing"

func TestFig1(t *testing.T) {
	Run()
	_, _ = z, w
}
