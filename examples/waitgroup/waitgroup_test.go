package waitgroup

import "testing"

func TestWaitgroup(t *testing.T) { Run() }
