package heap

import "testing"

func TestHeap(t *testing.T) { Run() }
