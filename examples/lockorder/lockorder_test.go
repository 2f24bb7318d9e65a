package lockorder

import "testing"

func TestLockorder(t *testing.T) { Run() }
