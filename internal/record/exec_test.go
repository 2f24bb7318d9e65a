package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCutExec(t *testing.T) {
	for _, c := range []struct {
		goflags, flags []string
		rest, wrapper  []string
	}{
		{nil, []string{"-tags=a"}, []string{"-tags=a"}, nil},
		{nil, []string{"-tags=a", "-exec=nice -n 1", "exec=no"}, []string{"-tags=a", "exec=no"}, []string{"nice", "-n", "1"}},
		{nil, []string{"--exec=env 'A=b c' sh"}, nil, []string{"env", "A=b c", "sh"}},
		{[]string{"-v", "-exec=env A=b"}, []string{"-v"}, []string{"-v"}, []string{"env", "A=b"}},
		{[]string{"-exec=env"}, []string{"-exec=nice"}, nil, []string{"nice"}},
		{[]string{"-exec=env"}, []string{"-exec="}, nil, nil},
	} {
		rest, wrapper, err := cutExec(c.goflags, c.flags)
		if diff := cmp.Diff([][]string{c.rest, c.wrapper}, [][]string{rest, wrapper}); diff != "" || err != nil {
			t.Errorf("%q %q: %v %s", c.goflags, c.flags, err, diff)
		}
	}
	if _, _, err := cutExec(nil, []string{"-exec='a"}); err == nil {
		t.Error("a quote without an end is taken")
	}
}
