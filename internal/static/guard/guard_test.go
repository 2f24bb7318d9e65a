package guard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/summary"
)

func TestFacts(t *testing.T) {
	type locks = map[string]lockset.Mode
	type use struct {
		class, path string
		kind        summary.Kind
		locks       locks
		place       int32
	}
	var table guard.Table
	for _, u := range []use{
		// Three of four hold the lock of the same object.
		{"m.S.n", "$0!m.S.n", summary.Write, locks{"$0!m.S.mu": lockset.Write}, 1},
		{"m.S.n", "$1!m.S.n", summary.Read, locks{"$1!m.S.mu": lockset.Write, "@m.all": lockset.Write}, 2},
		{"m.S.n", "$0*!m.S.n", summary.Write, locks{"$0*!m.S.mu": lockset.Write}, 3},
		{"m.S.n", "$0!m.S.n", summary.Read, nil, 4},
		// The lock of another object is none.
		{"m.S.other", "$0!m.S.other", summary.Write, locks{"$1!m.S.mu": lockset.Write, "?!m.S.mu": lockset.Write}, 1},
		{"m.S.other", "$0!m.S.other", summary.Write, locks{"$1!m.S.mu": lockset.Write, "?!m.S.mu": lockset.Write}, 2},
		// One context without the lock.
		{"m.S.sometimes", "$0!m.S.sometimes", summary.Write, locks{"$0!m.S.mu": lockset.Write}, 1},
		{"m.S.sometimes", "$0!m.S.sometimes", summary.Write, locks{"$0!m.S.mu": lockset.Write}, 2},
		{"m.S.sometimes", "$0!m.S.sometimes", summary.Write, nil, 2},
		// Nothing writes.
		{"m.S.constant", "$0!m.S.constant", summary.Read, locks{"$0!m.S.mu": lockset.Write}, 1},
		{"m.S.constant", "$0!m.S.constant", summary.Read, locks{"$0!m.S.mu": lockset.Write}, 2},
		// A read lock is enough for reads.
		{"var m.v", "@m.v", summary.Read, locks{"@m.all!m.Locks.rw": lockset.Read}, 1},
		{"var m.v", "@m.v", summary.Read, locks{"@m.all!m.Locks.rw": lockset.Read}, 2},
		{"var m.v", "@m.v", summary.Write, locks{"@m.all!m.Locks.rw": lockset.Read}, 3},
	} {
		table.Use(u.class, u.path, &summary.Access{Kind: u.kind, Pos: summary.Pos{Func: "f", Place: u.place}}, u.locks)
	}
	want := []guard.Fact{
		{Class: "m.S.n", Lock: "mu", Held: 3, Uses: 4, Without: []summary.Pos{{Func: "f", Place: 4}}, First: summary.Pos{Func: "f", Place: 1}},
		{Class: "var m.v", Lock: "m.all.rw", Held: 2, Uses: 3, Without: []summary.Pos{{Func: "f", Place: 3}}, First: summary.Pos{Func: "f", Place: 1}},
	}
	if diff := cmp.Diff(want, table.Facts()); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}
