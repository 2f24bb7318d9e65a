package printed

import "testing"

func TestPrinted(t *testing.T) { Run() }
