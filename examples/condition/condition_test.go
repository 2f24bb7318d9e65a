package condition

import "testing"

func TestCondition(t *testing.T) { Run() }
