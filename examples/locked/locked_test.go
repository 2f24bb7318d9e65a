package locked

import "testing"

func TestLocked(t *testing.T) { Run() }
