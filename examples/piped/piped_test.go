package piped

import "testing"

func TestPiped(t *testing.T) {
	if unit, err := Run(); unit != "mm" || err != nil {
		t.Error(unit, err)
	}
}
