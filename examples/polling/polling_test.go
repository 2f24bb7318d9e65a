package polling

import "testing"

func TestPolling(t *testing.T) { Run() }
