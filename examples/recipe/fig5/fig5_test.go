package fig5

import "testing"

func TestFig5(t *testing.T) {
	Run()
	_, _ = field, base
}
