package session

import (
	"slices"
	"testing"
)

// A line is a process; one that is cut short is an error.
func TestParseTimed(t *testing.T) {
	got, err := parseTimed("0.5 1 2048 80 3 1e9\n1.5 2 1024 8 1 1000000001.5\n")
	want := []Process{{0.5, 1, 2, 80, 3, 1e9}, {1.5, 2, 1, 8, 1, 1000000001.5}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := parseTimed("0.5 1 2048\n"); err == nil {
		t.Errorf("no error, but %+v", got)
	}
}
