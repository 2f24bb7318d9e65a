package semaphore

import "testing"

func TestSemaphore(t *testing.T) { Run() }
