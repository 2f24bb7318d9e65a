package walk

import (
	"fmt"
	"testing"
)

// TestObjectsAt: a pool has the objects that were put into it before an event, until their memory
// is allocated anew. One object may be in several pools, or in one pool several times. An object
// that was put as values of two types is not known any more.
func TestObjectsAt(t *testing.T) {
	const p, q, a, b, typ, other = 0x9000, 0x9100, 0xc000, 0xd000, 0x5000, 0x6000
	put := func(k *pools, pool, typ, data uint64, at int64) {
		k.add(pool, typ, pooled{word: pool<<16 | data, data: data, at: at})
	}
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
		{"allocated", func(k *pools) { k.put.allocated(a-8, 64, 12) }, 20, "[]"},
		{"allocated later", func(k *pools) { k.put.allocated(a-8, 64, 25) }, 20, "[c000 at 10]"},
		{"allocated and put", func(k *pools) {
			k.put.allocated(a, 8, 12)
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

// TestManyPooled: the last objects of a pool are kept.
func TestManyPooled(t *testing.T) {
	var k pools
	for i := range uint64(100) {
		k.add(1, 2, pooled{word: i, data: 0xc000 + 16*i, at: int64(i)})
	}
	list := k.ObjectsAt(1, 200)
	if len(list) < maxPooled || len(list) > 2*maxPooled || list[0].At != 99 {
		t.Errorf("%d objects, the last one put at %d", len(list), list[0].At)
	}
	if k.add(1, 3, pooled{word: 1, data: 0xc010, at: 300}); len(k.ObjectsAt(1, 400)) != len(list) {
		t.Error("an object that is not kept has two types")
	}
}
