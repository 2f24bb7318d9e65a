package capture

import "testing"

func TestCapture(t *testing.T) { Run() }
