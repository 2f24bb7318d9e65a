package fig7

import "testing"

func TestFig7(t *testing.T) { Run() }
