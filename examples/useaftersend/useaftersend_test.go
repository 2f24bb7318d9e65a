package useaftersend

import "testing"

func TestUseaftersend(t *testing.T) { Run() }
