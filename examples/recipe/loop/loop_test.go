package loop

import "testing"

func TestLoop(t *testing.T) { Run() }
