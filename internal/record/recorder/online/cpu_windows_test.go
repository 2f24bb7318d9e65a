package online

import "testing"

// cpu reports nothing here.
func cpu(*testing.B, int) func() { return func() {} }
