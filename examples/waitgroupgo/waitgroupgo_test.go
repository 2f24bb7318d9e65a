package waitgroupgo

import "testing"

func TestWaitgroupGo(t *testing.T) { Run() }
