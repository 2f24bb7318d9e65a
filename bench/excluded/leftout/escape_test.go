package leftout

import (
	"context"
	"testing"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/record"
)

// What the code of excluded calls touches, their Ds have: the recorder finds it. And what is found
// is true, by Ds and by records of what is touched.
func TestNothingEscapes(t *testing.T) {
	v, recorded := variant{synchronisation, false}, variant{outside, false}
	b := bench{session: &session.Session{Dir: t.TempDir()}, limit: 100_000, variants: []variant{v, recorded}, total: map[variant]*row{}}
	c := record.Config{
		Test: true, Flags: []string{"-vet=off", "-count=1"}, Dir: "../../..",
		Packages: []string{"./examples/limit", "./examples/maplock", "./examples/once", "./examples/waitgroup", "./examples/recipe/swap", "./examples/recipe/stdlib"},
	}
	c.Flags = append([]string{"-C=../../.."}, c.Flags...)
	if err := b.record(context.Background(), "examples", c); err != nil {
		t.Fatal(err)
	}
	x := b.total[v]
	if x.calls < 20 || x.gone < 100 {
		t.Errorf("%d excluded calls, %d events gone: too few to conclude anything", x.calls, x.gone)
	}
	if x.escaped > 0 {
		t.Errorf("%d times an excluded call touches what its D has not", x.escaped)
	}
	if r := x.found[rdit]; r.wrong > 0 {
		t.Errorf("%d races are found that are none", r.wrong)
	}
	if y := b.total[recorded]; y.found[rdit].wrong > 0 || y.found[rdit].left < y.left/2 || y.left < 10 || y.calls != x.calls {
		t.Errorf("what is touched recorded: %d races are found, and %d that are none; want at least half of %d, and 0", y.found[rdit].left, y.found[rdit].wrong, y.left)
	}
}
