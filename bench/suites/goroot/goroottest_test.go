package goroot

import (
	"regexp"
	"slices"
	"testing"
)

func TestRunLine(t *testing.T) {
	for _, c := range []struct {
		text        string
		flags, args []string
		ok          bool
	}{
		{"// run\n\npackage main", nil, nil, true},
		{"\n// run -gcflags=-l -race a -b\n", []string{"-gcflags=-l", "-race"}, []string{"a", "-b"}, true},
		{"// runoutput\n", nil, nil, false},
		{"//run\n", nil, nil, false},
		{"// rundir\n", nil, nil, false},
		{"package main\n// run\n", nil, nil, false},
		{"", nil, nil, false},
		{"// run -gcflags='all=-N -l -d=ssa/check/on' a\n", []string{"-gcflags=all=-N -l -d=ssa/check/on"}, []string{"a"}, true},
		{"// run -gcflags=\"-d=checkptr\" \"\" b\n", []string{"-gcflags=-d=checkptr"}, []string{"", "b"}, true},
		{"// run -goexperiment fieldtrack\n", []string{"-goexperiment=fieldtrack"}, nil, true},
	} {
		flags, args, ok := runLine(c.text)
		if ok != c.ok || !slices.Equal(flags, c.flags) || !slices.Equal(args, c.args) {
			t.Errorf("%q: %q %q %v", c.text, flags, args, ok)
		}
	}
}

func TestExceptions(t *testing.T) {
	if _, err := parseExceptions(exceptions); err != nil {
		t.Error(err)
	}
	if known, err := parseExceptions("# x\n\na.go\twhy\n"); err != nil || known["a.go"] != "why" {
		t.Error(known, err)
	}
	for _, text := range []string{"a.go\n", "a.go\t\n", "a.go\tx\na.go\ty\n"} {
		if _, err := parseExceptions(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestCompare(t *testing.T) {
	out := func(code int, text string) *output { return &output{code, text, true} }
	for _, c := range []struct {
		name  string
		a, b  *output
		equal bool
	}{
		{"the same", out(0, "a\nb\n"), out(0, "a\nb\n"), true},
		{"another line", out(0, "a\n"), out(0, "b\n"), false},
		{"a line more", out(0, "a\n"), out(0, "a\nb\n"), false},
		{"a line less", out(0, "a\nb\n"), out(0, "a\n"), false},
		{"another code", out(0, ""), out(1, ""), false},
		{"no end", out(0, ""), &output{}, false},
		{"addresses", out(2, "panic: at 0xc000 in 12ms\n"), out(2, "panic: at 0xd000 in 3ms\n"), true},
		{"frames", out(2, "panic: x\n\ngoroutine 1 [running]:\nmain.f()\n"), out(2, "panic: x\n\ngoroutine 7 [running]:\nmain.g()\n"), true},
		{"the panic itself", out(2, "panic: x\n\ngoroutine 1 [running]:\n"), out(2, "panic: y\n\ngoroutine 1 [running]:\n"), false},
		{"what presage says", out(2, "a\n"), out(2, "a\npresage: the program ended with code 2\n"), true},
	} {
		if outcome, detail := compare(c.a, c.b); (outcome == same) != c.equal {
			t.Errorf("%s: %s %s", c.name, outcome, detail)
		}
	}
}

// TestFind: programs are whole, and in any folder.
func TestFind(t *testing.T) {
	list, err := find("testdata", regexp.MustCompile(""))
	if err != nil || len(list) != 1 || list[0].name != "sub/whole.go" {
		t.Errorf("%v %v", list, err)
	}
}
