package lockset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
)

var (
	table = path.NewTable()
	m     = table.Root(path.Global, 0, "m", "sync.Mutex")
	n     = table.Root(path.Global, 0, "n", "sync.RWMutex")
)

// text writes a set as its locks with modes, L+ before L−.
func text(r lockset.Relative) []string {
	var out []string
	for _, l := range r.Plus.Sorted() {
		out = append(out, "+"+l.Name+" "+r.Plus[l].String())
	}
	for _, l := range r.Minus.Sorted() {
		out = append(out, "-"+l.Name)
	}
	return out
}

func TestRelative(t *testing.T) {
	var none lockset.Relative
	holds := func(l *path.Node, mode lockset.Mode) lockset.Relative { return none.Acquire(l, mode) }
	for _, c := range []struct {
		rule string
		got  lockset.Relative
		want []string
	}{
		{"RL1: a lock is held", holds(m, lockset.Write), []string{"+m lock"}},
		{"RL1: a release is known", none.Release(m), []string{"-m"}},
		{"RL2: a release takes the lock out", holds(m, lockset.Write).Release(m), []string{"-m"}},
		{"RL2: a lock takes the release out", none.Release(m).Acquire(m, lockset.Write), []string{"+m lock"}},
		{"RL2: a callee that gives up one lock and takes another", holds(m, lockset.Write).Then(none.Release(m).Acquire(n, lockset.Read)), []string{"+n rlock", "-m"}},
		{"RL2: held on one way", holds(m, lockset.Write).Join(none), nil},
		{"RL2: held on both, in the weaker mode", holds(n, lockset.Write).Join(holds(n, lockset.Read)), []string{"+n rlock"}},
		{"RL2: released on one way", none.Release(m).Join(none), []string{"-m"}},
		{"Close: what was released is held again as before", none.Release(m).Close(m, lockset.Write), []string{"+m lock"}},
		{"Close: by the caller", none.Release(m).Close(m, 0), nil},
	} {
		if diff := cmp.Diff(c.want, text(c.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
}

func TestCommon(t *testing.T) {
	for _, c := range []struct {
		rule string
		a, b lockset.Set
		want *path.Node
	}{
		{"RL3: both write", lockset.Set{m: lockset.Write}, lockset.Set{m: lockset.Write}, m},
		{"RL3: one reads", lockset.Set{n: lockset.Write}, lockset.Set{n: lockset.Read}, n},
		{"RL3: both read", lockset.Set{n: lockset.Read}, lockset.Set{n: lockset.Read}, nil},
		{"RL3: two locks", lockset.Set{m: lockset.Write}, lockset.Set{n: lockset.Write}, nil},
	} {
		if got := lockset.Common(c.a, c.b, func(*path.Node) bool { return true }); got != c.want {
			t.Errorf("%s: got %v, want %v", c.rule, got, c.want)
		}
	}
}
