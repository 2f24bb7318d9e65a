package atomicflag

import "testing"

func TestAtomicflag(t *testing.T) { Run() }
