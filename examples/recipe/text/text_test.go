package text

import "testing"

func TestText(t *testing.T) {
	Run()
	_ = r
}
