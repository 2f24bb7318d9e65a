package cancel

import "testing"

func TestCancel(t *testing.T) { Run() }
