package handoff

import "testing"

func TestHandoff(t *testing.T) { Run() }
