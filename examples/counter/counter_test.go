package counter

import "testing"

func TestCounter(t *testing.T) { Run() }
