package fig2

import "testing"

func TestFig2(t *testing.T) { Run() }
