package locker

import "testing"

func TestLocker(t *testing.T) { Run() }
