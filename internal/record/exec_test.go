package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCutExec(t *testing.T) {
	rest, wrapper := cutExec([]string{"-tags=a", "-exec=nice -n 1", "exec=no"})
	if diff := cmp.Diff([][]string{{"-tags=a", "exec=no"}, {"nice", "-n", "1"}}, [][]string{rest, wrapper}); diff != "" {
		t.Error(diff)
	}
}
