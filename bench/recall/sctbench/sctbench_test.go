package sctbench

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/presage-race/presage/bench/internal/command"
)

// A seed without a result is above all others.
func TestMedian(t *testing.T) {
	for _, x := range []struct {
		runs []int
		want string
	}{
		{nil, "-"}, {[]int{0}, "-"}, {[]int{7}, "7"}, {[]int{4, 1}, "2.5"}, {[]int{0, 3}, "-"},
		{[]int{0, 9, 2}, "9"}, {[]int{0, 0, 2}, "-"}, {[]int{5, 0, 1, 2}, "3.5"},
	} {
		if got := word(command.MedianRun(x.runs)); got != x.want {
			t.Errorf("%v: %s, want %s", x.runs, got, x.want)
		}
	}
}

// A race that -race reports is no failure.
func TestBug(t *testing.T) {
	for text, want := range map[string]bool{
		"    a_test.go:3: BUG: data 3\n":                       true,
		"fatal error: all goroutines are asleep - deadlock!\n": true,
		"=== RUN\npanic: test timed out after 3s\n":            true,
		"testing.go:1: race detected during execution of test": false,
		"PASS\n": false,
	} {
		if bug.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// TestPrograms: each test of the packages is that of a program, and the other way round.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("../../" + directory + "/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testFunction.FindAllSubmatch(text, -1) {
			have = append(have, filepath.Base(filepath.Dir(f))+"."+string(m[1]))
		}
	}
	for _, p := range programs {
		race, failure := p.tests()
		for _, test := range []string{race, failure} {
			if test != "" {
				want = append(want, p.pkg+"."+test)
			}
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("tests %q, programs %q", have, want)
	}
}
