package limit

import "testing"

func TestLimit(t *testing.T) { Run() }
