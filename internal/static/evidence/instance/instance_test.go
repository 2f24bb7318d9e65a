package instance_test

import (
	"testing"

	"github.com/presage-race/presage/internal/static/evidence/instance"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

func TestCompare(t *testing.T) {
	table := path.NewTable()
	sum := &summary.Function{Spawns: []*summary.Spawn{{Loop: true, Many: true, Token: table.Root(path.Token, 0, "5", "")}, {}}}
	param := table.Root(path.Param, 0, "", "T")
	other := table.Root(path.Param, 1, "", "T")
	made := table.Alloc("new T#1", "T", true, -2)
	once := table.Alloc("new T#2", "T", false, -2)
	deep := table.Alloc("new T#3@4@5"+path.Deep, "T", false, -2)
	got := table.Result(0, "received#6", "T", true)
	returned := table.Result(0, "result#7", "T", true)
	unknown := table.Unknown("T")
	f := func(n *path.Node) *path.Node { return table.Field(n, "T.f") }
	index := table.Value("i", true)
	first, second := table.Value("range#1", true), table.Value("range#2", true)
	at := func(i *path.Node) *path.Node { return table.Elem(param, i) }
	for _, c := range []struct {
		rule    string
		x, y    *path.Node
		threads [2]int
		kinds   [2]summary.Kind
		want    instance.Alias
	}{
		{"IS1: one path", f(param), f(param), [2]int{0, 2}, [2]summary.Kind{}, instance.Same},
		{"IS1: two fields", f(param), table.Field(param, "T.g"), [2]int{0, 2}, [2]summary.Kind{}, instance.No},
		{"IS1: two formals", f(param), f(other), [2]int{0, 2}, [2]summary.Kind{}, instance.No},
		{"IS2: made in the loop, for each goroutine", f(made), f(made), [2]int{1, 1}, [2]summary.Kind{}, instance.No},
		{"IS2: made in the loop, and used beside the goroutine", f(made), f(made), [2]int{0, 1}, [2]summary.Kind{}, instance.Same},
		{"IS2: made before the loop", f(once), f(once), [2]int{1, 1}, [2]summary.Kind{}, instance.Same},
		{"IS2: received in the loop", f(got), f(got), [2]int{1, 1}, [2]summary.Kind{}, instance.No},
		{"IS2: returned in the loop", f(returned), f(returned), [2]int{1, 1}, [2]summary.Kind{}, instance.Round},
		{"IS2: an index that the loop changes", at(index), at(index), [2]int{1, 1}, [2]summary.Kind{}, instance.No},
		{"IS2: an index of a loop in each goroutine", at(table.Value("j@5", true)), at(table.Value("j@5", true)), [2]int{1, 1}, [2]summary.Kind{}, instance.Weak},
		{"IS2: a loop over a map in each goroutine", at(table.Value("range#3@5", true)), at(table.Value("range#3@5", true)), [2]int{1, 1}, [2]summary.Kind{}, instance.Same},
		{"IS3: two constants", at(table.Const(0)), at(table.Const(1)), [2]int{0, 2}, [2]summary.Kind{}, instance.No},
		{"IS3: nothing known", at(nil), at(nil), [2]int{0, 2}, [2]summary.Kind{}, instance.Weak},
		{"IS3: every element", at(table.Const(path.All)), at(nil), [2]int{0, 2}, [2]summary.Kind{}, instance.Same},
		{"IS1: a struct and its field", param, f(param), [2]int{0, 2}, [2]summary.Kind{}, instance.Same},
		{"IS2: two loops over a map", at(first), at(second), [2]int{0, 2}, [2]summary.Kind{}, instance.Same},
		{"IS1: a type", f(unknown), f(unknown), [2]int{0, 2}, [2]summary.Kind{}, instance.Class},
		{"IS1: a site of several calls", f(deep), f(deep), [2]int{0, 2}, [2]summary.Kind{}, instance.Class},
		{"append and read", at(nil), at(nil), [2]int{0, 2}, [2]summary.Kind{summary.Append, summary.Read}, instance.No},
	} {
		a := &summary.Access{Loc: c.x, Thread: c.threads[0], Kind: c.kinds[0]}
		b := &summary.Access{Loc: c.y, Thread: c.threads[1], Kind: c.kinds[1]}
		if got := instance.Compare(sum, a, b); got != c.want {
			t.Errorf("%s: got %d, want %d", c.rule, got, c.want)
		}
		if got := instance.Compare(sum, b, a); got != c.want {
			t.Errorf("%s, the other way round: got %d, want %d", c.rule, got, c.want)
		}
	}
}
