package mapcount

import "testing"

func TestMapcount(t *testing.T) {
	if n, _ := Run(); n != 2 {
		t.Errorf("%d hits", n)
	}
}
