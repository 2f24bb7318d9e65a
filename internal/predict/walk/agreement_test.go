package walk_test

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/predict/walk"
)

var agreementSeed = flag.Uint64("agreement.seed", 1, "seed of the programs of TestAgreement")

// TestAgreement runs programs as they are and with hooks: they print the same, and nothing that the
// walk recomputes differs from what was recorded. A function is left as written for the given
// reason alone.
func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		name, src, opaque string
		left              int // functions as written
	}{
		{"shifts", shiftProgram(*agreementSeed, 150), "", 0},
		{"empty", emptyProgram(), "", 0},
		{"index", indexProgram(), "index of a type parameter that stands for arrays or strings and for other types", 57},
		{"large", largeProgram(), "", 0},
		{"select", selectProgram(*agreementSeed, 60), "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := buildSome(t, c.src)
			for _, o := range b.opaque {
				if o.Reason != c.opaque {
					t.Errorf("%s is opaque: %s", o.Func, o.Reason)
				}
			}
			if len(b.opaque) != c.left {
				t.Errorf("%d functions are opaque, not %d", len(b.opaque), c.left)
			}
			agrees(t, b)
		})
	}
}

func agrees(t *testing.T, b *built) {
	plain := exec.Command("go", "run", ".")
	plain.Dir = b.dir
	want, err := plain.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	events := b.record(t)
	if got := strings.Split(b.output, "\n"); b.output != string(want) {
		for i, line := range strings.Split(string(want), "\n") {
			if i >= len(got) || got[i] != line {
				t.Errorf("the program prints, plain and with hooks:\n-%s\n+%s", line, strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""))
			}
		}
	}
	for name, w := range map[string]*walk.Walker{"plain": walk.New(b.plan), "branching": walk.NewBranching(b.plan)} {
		for i, e := range events {
			w.Step(int64(i), &e)
		}
		for _, m := range w.Mismatches()[:min(5, len(w.Mismatches()))] {
			t.Errorf("%s walk: event %d: %v", name, m.Index, m)
		}
		if s := w.Stats(); s.Mismatches > 0 || s.Invocations == 0 {
			t.Errorf("%s walk: %d mismatches in %d invocations", name, s.Mismatches, s.Invocations)
		}
	}
}
