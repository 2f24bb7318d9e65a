package table

import "testing"

func TestTable(t *testing.T) {
	Run()
	_ = r
}
