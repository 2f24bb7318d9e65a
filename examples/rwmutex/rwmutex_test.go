package rwmutex

import "testing"

func TestRwmutex(t *testing.T) { Run() }
