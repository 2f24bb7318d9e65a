package timer

import "testing"

func TestTimer(t *testing.T) { Run() }
