package walk

import (
	"testing"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

func mapKey(text string) flow.DynamicKey {
	return flow.DynamicKey{Type: 0x5000, MapKey: flow.MapKey{Text: text}}
}

// tagged is a word of a map with a tag.
func tagged(tag uint64, n uint64) uint64 { return uint64(format.MapWords) | tag<<50 | 8*n }

// TestWordAt: the word of a key is the one that an operation has shown, before an event; without an
// operation it is a new one, unless an operation may have been on it.
func TestWordAt(t *testing.T) {
	const m = 0x9000
	a, b := tagged(1, 1), tagged(1, 2)
	for _, test := range []struct {
		name   string
		do     func(k *syncMaps)
		key    string
		before int64
		word   uint64 // 0: a new one
		ok     bool
	}{
		{"shown", func(k *syncMaps) {}, "a", 20, a, true},
		{"of that key", func(k *syncMaps) { k.word(m, mapKey("b"), b, 0, 12) }, "b", 20, b, true},
		{"new", func(k *syncMaps) {}, "c", 20, 0, true},
		{"shown too late", func(k *syncMaps) {}, "a", 10, 0, true},
		{"another map is unclear", func(k *syncMaps) { k.unclear(trace.Addr(tagged(2, 3)), 11) }, "c", 20, 0, true},
		{"the map is unclear", func(k *syncMaps) { k.unclear(trace.Addr(tagged(1, 3)), 11) }, "c", 20, 0, false},
		{"the map is unclear later", func(k *syncMaps) { k.unclear(trace.Addr(tagged(1, 3)), 30) }, "c", 20, 0, true},
		{"the map is unclear, the key is known", func(k *syncMaps) { k.unclear(trace.Addr(tagged(1, 3)), 11) }, "a", 20, a, true},
		{"another word of the key", func(k *syncMaps) { k.word(m, mapKey("a"), b, 0, 12) }, "a", 20, 0, false},
		{"another word later", func(k *syncMaps) { k.word(m, mapKey("a"), b, 0, 25) }, "a", 20, a, true},
		{"another map", func(k *syncMaps) { k.word(m, mapKey("b"), tagged(2, 1), 0, 12) }, "a", 20, 0, false},
		{"other keys", func(k *syncMaps) {
			k.word(m, mapKey("b"), b, format.MapKeys+8, 12)
			k.word(m, mapKey("d"), tagged(1, 5), format.MapKeys+16, 13)
		}, "a", 20, 0, false},
		{"allocated", func(k *syncMaps) { k.allocated(m-8, 64, 12) }, "a", 20, 0, true},
		{"written", func(k *syncMaps) { k.written(&trace.Event{Kind: format.Write, Obj: m, Size: 8}, 12) }, "a", 20, 0, false},
		{"written later", func(k *syncMaps) { k.written(&trace.Event{Kind: format.Write, Obj: m, Size: 8}, 25) }, "a", 20, a, true},
		{"written beside", func(k *syncMaps) { k.written(&trace.Event{Kind: format.Write, Obj: m + 64, Size: 8}, 12) }, "a", 20, a, true},
	} {
		var k syncMaps
		k.word(m, mapKey("a"), a, 0, 10)
		test.do(&k)
		word, ok := k.WordAt(m, mapKey(test.key), test.before)
		switch {
		case ok != test.ok:
			t.Errorf("%s: ok %t", test.name, ok)
		case ok && test.word != 0 && word != test.word:
			t.Errorf("%s: %#x, want %#x", test.name, word, test.word)
		case ok && test.word == 0 && (word == a || word == b || !format.IsMapWord(trace.Addr(word))):
			t.Errorf("%s: %#x, want a new one", test.name, word)
		}
	}
}

// TestKeysAt: the state of the keys is what an operation before the event has shown.
func TestKeysAt(t *testing.T) {
	var k syncMaps
	const m = 0x9000
	k.word(m, mapKey("a"), tagged(1, 1), 0, 10)
	k.word(m, mapKey("b"), tagged(1, 2), format.MapKeys+8, 12)
	if x, y, z := k.KeysAt(m, 12), k.KeysAt(m, 13), k.KeysAt(m+8, 13); x != 0 || y != format.MapKeys+8 || z != 0 {
		t.Errorf("%#x, %#x, %#x", uint64(x), uint64(y), uint64(z))
	}
}

// TestChangesKeys: the keys are those of the ReleaseMerge before an operation, not of the one
// behind it.
func TestChangesKeys(t *testing.T) {
	release := func(n trace.Addr) *trace.Event {
		return &trace.Event{Kind: format.ReleaseMerge, Flags: format.FlagOpaque, Obj: format.MapKeys + n}
	}
	op := &trace.Event{Kind: format.AtomicRMW, Obj: format.MapWords + 8}
	alloc := &trace.Event{Kind: format.Alloc}
	lock := &trace.Event{Kind: format.Lock}
	var l learner
	for i, step := range []struct {
		e    *trace.Event
		keys trace.Addr // when it comes
	}{
		{op, 0}, {release(8), 0}, {alloc, 8}, {op, 8}, {release(8), 0}, {op, 0},
		{release(8), 0}, {op, 8}, {release(8), 0}, {release(16), 0}, {op, 16}, {release(16), 0}, {lock, 0}, {release(8), 0}, {lock, 8}, {op, 0},
	} {
		if want := step.keys; l.keys != 0 && l.keys != format.MapKeys+want || (l.keys == 0) != (want == 0) {
			t.Errorf("step %d: keys %#x, want %#x", i, uint64(l.keys), uint64(want))
		}
		l.changesKeys(step.e)
	}
}

// TestStoredAt: a value has its number from the event on that has shown it, and is forgotten when
// it is old.
func TestStoredAt(t *testing.T) {
	var k syncMaps
	k.stored(1, goval.Words([]uint64{5, 6}), 10)
	k.stored(1, goval.Words([]uint64{7, 8}), 11) // the same number has the same value
	k.stored(2, goval.Words([]uint64{9, 9}), 12)
	if v, _, ok := k.StoredAt(1, 11); !ok || goval.Differ(v, goval.Words([]uint64{5, 6}), 16) {
		t.Errorf("%v, %t", v, ok)
	}
	if _, _, ok := k.StoredAt(2, 12); ok {
		t.Error("a value before it was stored")
	}
	k.stored(3, goval.Words([]uint64{1, 1}), 13+placesAge)
	if _, _, ok := k.StoredAt(1, 14+placesAge); ok || len(k.order) != 1 {
		t.Errorf("an old value is there: %t; %d values", ok, len(k.order))
	}
}
