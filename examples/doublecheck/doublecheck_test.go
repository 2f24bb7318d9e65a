package doublecheck

import "testing"

func TestDoublecheck(t *testing.T) { Run() }
