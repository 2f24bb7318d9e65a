package appendlock

import "testing"

func TestAppendlock(t *testing.T) {
	if sum, _ := Run(); sum != 3 {
		t.Errorf("sum %d", sum)
	}
}
