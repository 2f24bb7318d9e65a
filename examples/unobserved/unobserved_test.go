package unobserved

import "testing"

func TestUnobserved(t *testing.T) { Run() }
