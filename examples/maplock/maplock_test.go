package maplock

import "testing"

func TestMaplock(t *testing.T) { Run() }
