package once

import "testing"

func TestOnce(t *testing.T) { Run() }
