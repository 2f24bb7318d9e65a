package pairs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// TestFind compares an access of a goroutine with one of its creator after the go statement.
func TestFind(t *testing.T) {
	table := path.NewTable()
	token := table.Root(path.Token, 0, "go", "")
	param := table.Root(path.Param, 0, "", "T")
	field := func(n *path.Node, name string) *path.Node { return table.Field(n, name) }
	entry := func(i string) *path.Node { return table.Load(table.Elem(param, table.Value(i, true)), "T") }
	held := func(l *path.Node, m lockset.Mode) lockset.Relative { return lockset.Relative{Plus: lockset.Set{l: m}} }
	mu, x := field(param, "T.mu"), field(param, "T.x")
	list := table.Elem(table.Load(x, "[]int"), table.Const(path.All))
	once := field(param, "T.once")
	doing, done := table.Of(path.Token, once, "doing"), table.Of(path.Token, once, "once")
	after := order.Sync{Released: order.Counts{token: 1}}
	inside := order.Sync{Acquired: order.Counts{token: 1}}
	for _, c := range []struct {
		rule string
		a, b summary.Access // of the goroutine, and of its creator
		want [][]string     // codes of each warning
	}{
		{"PA1: write and read", summary.Access{Loc: x, Kind: summary.Write}, summary.Access{Loc: x}, [][]string{nil}},
		{"PA1: two reads", summary.Access{Loc: x}, summary.Access{Loc: x}, nil},
		{"PA1: a common lock", summary.Access{Loc: x, Kind: summary.Write, Locks: held(mu, lockset.Write)}, summary.Access{Loc: x, Locks: held(mu, lockset.Read)}, nil},
		{"PA1: one has no lock", summary.Access{Loc: x, Kind: summary.Write, Locks: held(mu, lockset.Write)}, summary.Access{Loc: x}, [][]string{nil}},
		{"PA1: before the goroutine", summary.Access{Loc: x, Kind: summary.Write}, summary.Access{Loc: x, Sync: order.Sync{Released: order.Counts{done: 1}}}, nil},
		{"PA1: both atomic", summary.Access{Loc: x, Kind: summary.AtomicWrite}, summary.Access{Loc: x, Kind: summary.AtomicRead}, nil},
		{"PA1: one atomic", summary.Access{Loc: x, Kind: summary.AtomicWrite}, summary.Access{Loc: x}, [][]string{nil}},
		{"PA2: the lock of the entry", summary.Access{Loc: field(entry("range#1"), "T.x"), Kind: summary.Write, Locks: held(field(entry("range#1"), "T.mu"), lockset.Write)},
			summary.Access{Loc: field(entry("range#2"), "T.x"), Locks: held(field(entry("range#2"), "T.mu"), lockset.Write)}, nil},
		{"PA2: a lock of another entry", summary.Access{Loc: field(entry("range#1"), "T.x"), Kind: summary.Write, Locks: held(field(entry("range#1"), "T.mu"), lockset.Write)},
			summary.Access{Loc: field(entry("range#2"), "T.x"), Locks: held(field(entry("range#3"), "T.mu"), lockset.Write)}, [][]string{nil}},
		{"PA4: two appends", summary.Access{Loc: list, Kind: summary.Append}, summary.Access{Loc: list, Kind: summary.Append}, [][]string{{"append-append"}}},
		{"PA5: inside and after Do", summary.Access{Loc: x, Kind: summary.Write, Locks: held(doing, lockset.Write)},
			summary.Access{Loc: x, Sync: order.Sync{Acquired: order.Counts{done: 1}, Released: order.Counts{token: 1}}}, nil},
	} {
		a, b := c.a, c.b
		a.Thread, a.Pos, b.Pos = 1, summary.Pos{Place: 1}, summary.Pos{Place: 2}
		a.Sync = inside
		if b.Sync.Acquired == nil && b.Sync.Released == nil {
			b.Sync = after
		}
		sum := &summary.Function{Spawns: []*summary.Spawn{{Token: token}}, Accesses: []*summary.Access{&a, &b}}
		var n pairs.Counts
		var got [][]string
		for _, w := range pairs.Find(sum, &n) {
			got = append(got, w.Codes)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
}
