package store_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/store"
	"github.com/presage-race/presage/internal/static/summary"
)

type sample struct {
	Functions []*summary.Function
	Judged    map[[2]summary.Pos]bool
	Empty     []string
	Number    int64
}

// example is a summary with every kind of thing in it.
func example(t *path.Table, line int32) *sample {
	s := t.Root(path.Param, 0, "", "p.T")
	mu, x := t.Field(s, "p.T.mu"), t.Field(t.Load(t.Field(s, "p.T.q"), "p.Q"), "p.Q.x")
	ch := t.Alloc("c#1", "chan int", true, 3)
	fn := t.Closure("p.f$1", []*path.Node{s, ch})
	inner := &summary.Call{Pos: summary.Pos{Func: "p.g", Place: 2}, Func: "p.h"}
	locks := lockset.Relative{Plus: lockset.Set{mu: lockset.Write, ch: lockset.Read}}
	counts := order.Counts{t.Of(path.Token, ch, "chan"): order.Many, t.Of(path.Recv, ch, ""): 1}
	f := &summary.Function{Key: "p.f", Pkg: "p", Files: []string{"/src/f.go"}, Places: []summary.Line{{Line: line, Column: 1}}, Names: &path.Names{Params: []string{"s"}},
		Exported: true, Total: counts, Leaks: []int{0, 3}, Results: [][]*path.Node{nil, {fn}, {}}}
	for range 2 {
		f.Accesses = append(f.Accesses, &summary.Access{Loc: t.Elem(x, t.Const(-1)), Kind: summary.Write, Locks: locks, Sync: order.Sync{Acquired: counts}, Thread: 1,
			Via: &summary.Call{Pos: summary.Pos{Func: "p.f", Place: 1}, Func: "p.g", Next: inner}})
	}
	f.Spawns = []*summary.Spawn{{Token: t.Root(path.Token, 0, "go", ""), Many: true, Again: &order.Sync{Released: counts}}}
	f.Exits = []summary.Exit{{Results: []summary.Truth{summary.True, summary.Any}, Locks: locks}}
	f.Stores = []summary.Store{{Addr: x, Value: fn}}
	f.Edges = []summary.Edge{{Callee: "p.g", Args: []*path.Node{nil, s}, Owned: summary.Owned{Args: 1<<31 + 2, Free: 1, Held: 3}}}
	return &sample{Functions: []*summary.Function{f}, Judged: map[[2]summary.Pos]bool{{{Func: "a"}, {Func: "b", Place: 4}}: true, {{Func: "a"}, {Func: "b", Place: 3}}: true}, Number: -7}
}

// What was decoded is encoded alike, and equal parts of it are one.
func TestRoundTrip(t *testing.T) {
	data, digest := store.Encode(example(path.NewTable(), 10))
	var got sample
	table := path.NewTable()
	d, err := store.Decode(data, &got, table)
	if err != nil || d != digest {
		t.Fatalf("decoded with digest %x, %v; want %x", d, err, digest)
	}
	again, _ := store.Encode(&got)
	if !bytes.Equal(data, again) {
		t.Fatal("the second encoding differs")
	}
	f := got.Functions[0]
	if f.Accesses[0].Loc != f.Accesses[1].Loc || f.Accesses[0].Via != f.Accesses[1].Via {
		t.Error("equal paths or calls were read as two")
	}
	if want := example(table, 10).Functions[0].Accesses[0].Loc; f.Accesses[0].Loc != want {
		t.Errorf("path %v was read as %v", want, f.Accesses[0].Loc)
	}
	if f.Results[0] != nil || f.Results[2] == nil || got.Empty != nil || f.Places[0].Line != 10 || f.Edges[0].Args[0] != nil {
		t.Errorf("read %+v", f)
	}
}

// Lines are no meaning, paths are.
func TestDigest(t *testing.T) {
	a, da := store.Encode(example(path.NewTable(), 10))
	b, db := store.Encode(example(path.NewTable(), 11))
	if da != db || bytes.Equal(a, b) {
		t.Errorf("other lines: digest %x and %x, equal files %v", da, db, bytes.Equal(a, b))
	}
	c := example(path.NewTable(), 10)
	c.Functions[0].Accesses[1].Kind = summary.Read
	if _, dc := store.Encode(c); dc == da {
		t.Error("another access, the same digest")
	}
}

// A damaged file is an error, also where its sum is right.
func TestDamaged(t *testing.T) {
	data, _ := store.Encode(example(path.NewTable(), 10))
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x55
		if _, err := store.Decode(bad, &sample{}, path.NewTable()); err == nil {
			t.Fatalf("byte %d changed: no error", i)
		}
		if _, err := store.Decode(data[:i], &sample{}, path.NewTable()); err == nil {
			t.Fatalf("cut at %d: no error", i)
		}
		bad = bad[:len(bad)-sha256.Size]
		sum := sha256.Sum256(bad)
		_, _ = store.Decode(append(bad, sum[:]...), &sample{}, path.NewTable()) // must return
	}
}

func TestDir(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a", "b")
	d, err := store.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	k := store.NewKeyer()
	k.Add("x", "y")
	l := store.NewKeyer()
	l.Add("xy")
	if k.Key() == l.Key() {
		t.Error("parts run into each other")
	}
	if data, err := d.Get(k.Key()); data != nil || err != nil {
		t.Fatalf("empty directory: %q, %v", data, err)
	}
	for _, want := range []bool{true, false} {
		if mine, err := d.Claim(k.Key()); err != nil || mine != want {
			t.Errorf("claim: %v, %v; want %v", mine, err, want)
		}
	}
	d.Release(k.Key())
	if mine, _ := d.Claim(k.Key()); !mine {
		t.Error("a claim that was taken back cannot be claimed")
	}
	if err := d.Put(k.Key(), []byte("data")); err != nil {
		t.Fatal(err)
	}
	if data, err := d.Get(k.Key()); string(data) != "data" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
	old := time.Now().Add(-60 * 24 * time.Hour)
	files, _ := filepath.Glob(filepath.Join(root, "*", "*"))
	for _, f := range files {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if mine, _ := d.Claim(k.Key()); !mine {
		t.Error("the claim of a process that is dead is not void")
	}
	if err := d.Trim(); err != nil {
		t.Fatal(err)
	}
	if data, _ := d.Get(k.Key()); data != nil {
		t.Error("an entry that was not used for sixty days is still there")
	}
}
