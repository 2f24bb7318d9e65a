package stdlib

import "testing"

func TestStdlib(t *testing.T) { Run() }
