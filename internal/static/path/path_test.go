package path_test

import (
	"testing"

	"github.com/presage-race/presage/internal/static/path"
)

// TestClass checks which locations may be one.
func TestClass(t *testing.T) {
	table := path.NewTable()
	param := table.Root(path.Param, 0, "", "p.T")
	global := table.Root(path.Global, 0, "p.v", "p.T")
	f := table.Field(param, "p.T.f")
	for _, c := range []struct {
		node       *path.Node
		key, class string
	}{
		{param, "$0", "(p.T)"},
		{f, "$0!p.T.f", "p.T.f"},
		{table.Field(global, "p.T.f"), "@p.v!p.T.f", "var p.v.f"},
		{table.Load(f, "p.U"), "$0!p.T.f*", "*p.T.f"},
		{table.Elem(table.Load(f, "[]int"), nil), "$0!p.T.f*[]", "*p.T.f[]"},
		{table.Field(table.Load(f, "p.U"), "p.U.g"), "$0!p.T.f*!p.U.g", "p.U.g"},
		{table.Of(path.Token, f, "chan"), "$0!p.T.f#chan", "()"},
		{table.Unknown("p.T"), "?p.T", "(p.T)"},
	} {
		if got := c.node.Key(); got != c.key {
			t.Errorf("Key = %q, want %q", got, c.key)
		}
		if got := c.node.Class(); got != c.class {
			t.Errorf("Class of %s = %q, want %q", c.key, got, c.class)
		}
	}
}

func TestTable(t *testing.T) {
	table := path.NewTable()
	param := table.Root(path.Param, 0, "", "T")
	if table.Field(param, "T.f") != table.Field(table.Root(path.Param, 0, "", "T"), "T.f") {
		t.Error("two nodes of one path")
	}
	n := param
	for range path.MaxDepth {
		n = table.Load(n, "T")
	}
	if n.Loads() != path.MaxDepth || n.Kind != path.Load {
		t.Errorf("%d loads, kind %d", n.Loads(), n.Kind)
	}
	if got := table.Load(n, "T"); got != table.Unknown("T") {
		t.Errorf("a path beyond the bound is %s", got.Key())
	}
	slice := table.Root(path.Param, 1, "", "[]T")
	if got := table.Elem(table.Sub(slice, path.Prefix), table.Const(1)); got != table.Elem(slice, table.Const(1)) {
		t.Error("a prefix has other indices")
	}
	if got := table.Elem(table.Sub(slice, path.Other), table.Const(1)); got != table.Elem(slice, nil) {
		t.Error("an index of a part is one of the whole")
	}
	if clip := table.Sub(slice, path.Clip); table.Sub(clip, path.Prefix).Name != path.Prefix || table.Elem(clip, table.Const(1)) != table.Elem(slice, table.Const(1)) {
		t.Error("a clip has other indices, or its prefix is none")
	}
}

func TestWithin(t *testing.T) {
	table := path.NewTable()
	param := table.Root(path.Param, 0, "", "T")
	f := table.Field(param, "T.f")
	for _, c := range []struct {
		a, b *path.Node
		want bool
	}{
		{param, f, true},
		{f, param, false},
		{f, table.Elem(f, table.Const(0)), true},
		{f, table.Field(table.Load(f, "U"), "U.g"), false}, // other memory
	} {
		if got := path.Within(c.a, c.b); got != c.want {
			t.Errorf("Prefix(%s, %s) = %v, want %v", c.a.Key(), c.b.Key(), got, c.want)
		}
	}
}

func TestSubst(t *testing.T) {
	table := path.NewTable()
	from := table.Root(path.Param, 0, "", "T")
	to := table.Field(table.Root(path.Global, 0, "v", "U"), "U.t")
	got := table.Subst(table.Field(table.Load(table.Field(from, "T.f"), "V"), "V.g"), func(n *path.Node) *path.Node {
		if n == from {
			return to
		}
		return nil
	}, table.Load)
	if want := "@v!U.t!T.f*!V.g"; got.Key() != want {
		t.Errorf("got %s, want %s", got.Key(), want)
	}
	if got.Local() || !from.Local() {
		t.Error("a path that begins at a global means the same in every frame")
	}
}
