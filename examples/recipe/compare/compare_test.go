package compare

import "testing"

func TestCompare(t *testing.T) { Run() }
