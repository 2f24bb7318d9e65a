package appending

import "testing"

func TestAppending(t *testing.T) { Run() }
