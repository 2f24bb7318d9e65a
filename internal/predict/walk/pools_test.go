package walk

import (
	"fmt"
	"testing"

	"github.com/presage-race/presage/internal/trace"
)

// TestObjectsAt: a pool has the objects that were put into it before an event, until their memory
// is allocated anew. One object may be in several pools, or in one pool several times. An object
// that was put as values of two types is not known any more.
func TestObjectsAt(t *testing.T) {
	const p, q, a, b, typ, other = 0x9000, 0x9100, 0xc000, 0xd000, 0x5000, 0x6000
	put := func(k *pools, pool, typ, data uint64, at int64) {
		k.add(pool, typ, pooled{word: pool<<16 | data, data: data, at: at})
	}
	write := func(k *pools, addr trace.Addr, at int64) { k.written(&trace.Event{Obj: addr}, at) }
	for _, test := range []struct {
		name   string
		do     func(k *pools)
		before int64
		want   string
	}{
		{"once", func(*pools) {}, 20, "[c000 at 10]"},
		{"not yet", func(*pools) {}, 10, "[]"},
		{"twice", func(k *pools) { put(k, p, typ, a, 12) }, 20, "[c000 at 10]"},
		{"and another one", func(k *pools) {
			put(k, p, typ, b, 12)
		}, 20, "[d000 at 12 c000 at 10]"},
		{"in two pools", func(k *pools) { put(k, q, typ, a, 12) }, 20, "[c000 at 10]"},
		{"in another pool", func(k *pools) { put(k, q, typ, b, 12) }, 20, "[c000 at 10]"},
		{"in two pools by turns", func(k *pools) {
			put(k, q, typ, a, 12)
			put(k, p, typ, a, 14)
		}, 20, "[c000 at 10]"},
		{"of two types", func(k *pools) { put(k, p, other, a, 12) }, 20, "[]"},
		{"of two types, later", func(k *pools) { put(k, p, other, a, 22) }, 20, "[c000 at 10]"},
		{"of two types by turns", func(k *pools) {
			put(k, p, other, a, 12)
			put(k, p, typ, a, 14)
		}, 20, "[]"},
		{"of another type elsewhere", func(k *pools) { put(k, q, other, a, 12) }, 20, "[]"},
		{"allocated", func(k *pools) { k.allocated(a-8, 64, 12) }, 20, "[]"},
		{"allocated later", func(k *pools) { k.allocated(a-8, 64, 25) }, 20, "[c000 at 10]"},
		{"the pool is allocated", func(k *pools) { k.allocated(p-8, 64, 12) }, 20, "[]"},
		{"the pool is allocated later", func(k *pools) { k.allocated(p-8, 64, 25) }, 20, "[c000 at 10]"},
		{"memory beside the pool is allocated", func(k *pools) { k.allocated(p+8, 64, 12) }, 20, "[c000 at 10]"},
		{"the pool is overwritten", func(k *pools) { write(k, p, 12) }, 20, "[]"},
		{"the pool is overwritten later", func(k *pools) { write(k, p, 25) }, 20, "[c000 at 10]"},
		{"its field New is written", func(k *pools) { write(k, p+32, 12) }, 20, "[c000 at 10]"},
		{"overwritten and put", func(k *pools) {
			write(k, p, 12)
			put(k, p, typ, b, 14)
		}, 20, "[d000 at 14]"},
		{"overwritten and put again", func(k *pools) {
			write(k, p, 12)
			put(k, p, typ, a, 14)
		}, 20, "[c000 at 14]"},
		{"allocated and put", func(k *pools) {
			k.allocated(a, 8, 12)
			put(k, p, other, a, 14)
		}, 20, "[c000 at 14]"},
	} {
		var k pools
		put(&k, p, typ, a, 10)
		test.do(&k)
		list := []string{}
		for _, x := range k.ObjectsAt(p, test.before) {
			list = append(list, fmt.Sprintf("%x at %d", x.Data, x.At))
		}
		if got := fmt.Sprint(list); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestManyPooled: the last objects that were put before an event are known, also for an event that
// came some time ago.
func TestManyPooled(t *testing.T) {
	var k pools
	const step = placesAge / 50
	for i := range uint64(400) {
		k.add(1, 2, pooled{word: i, data: 0xc000 + 16*i, at: int64(i) * step})
	}
	for _, before := range []uint64{400, 399, 360, 352} {
		list := k.ObjectsAt(1, int64(before)*step)
		if len(list) != maxPooled || list[0].Word != before-1 || list[maxPooled-1].Word != before-maxPooled {
			t.Errorf("before %d: %v", before, list)
		}
	}
	if in, _ := k.lists.at(1, 400*step, func(*pooledInOne) bool { return true }); len(in.list) > 50+3*maxPooled+1 {
		t.Errorf("%d objects are kept", len(in.list))
	}
	if k.add(1, 3, pooled{word: 1, data: 0xc010, at: 400 * step}); len(k.ObjectsAt(1, 401*step)) != maxPooled {
		t.Error("an object that is not kept has two types")
	}
}
