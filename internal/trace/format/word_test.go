package format

import "testing"

// TestWords: words and states of different kinds have different addresses.
func TestWords(t *testing.T) {
	for _, test := range []struct {
		a    Addr
		want string
	}{
		{0x1000, "...."}, {1<<48 - 8, "...."}, {PoolWords, "p..."}, {Cancels - 8, "p..."}, {Cancels, ".x.."}, {Cancels + 0xc000001000, ".x.."},
		{Contexts, "..c."}, {Contexts + 0xc000001000, "..c."}, {MapKeys, "...."}, {MapWords - 8, "...."}, {MapWords, "...m"}, {1<<63 - 8, "...m"}, {1 << 63, "...."},
	} {
		got := ""
		for _, x := range []struct {
			is   bool
			name string
		}{{IsPoolWord(test.a), "p"}, {IsCancel(test.a), "x"}, {IsContext(test.a), "c"}, {IsMapWord(test.a), "m"}} {
			if !x.is {
				x.name = "."
			}
			got += x.name
		}
		if got != test.want {
			t.Errorf("%#x is %s, want %s", uint64(test.a), got, test.want)
		}
		if IsMapKeys(test.a) != (test.a >= MapKeys && test.a < MapWords) || BeginsEmpty(test.a) != (IsMapWord(test.a) || IsPoolWord(test.a) || IsContext(test.a)) {
			t.Errorf("%#x: keys %t, begins empty %t", uint64(test.a), IsMapKeys(test.a), BeginsEmpty(test.a))
		}
	}
	if MapTag(MapWords+3<<50+8) != 3 || MapTag(MapWords+1<<50-8) != 0 || MapTag(1<<63-8) != 1<<12-1 {
		t.Error("tags")
	}
	at, size, write := PointAt(PointWords | PointWrite | 16<<PointShift | 0xc000001008)
	if at != 0xc000001008 || size != 16 || !write || !IsPointWord(PoolWords-8) || IsPointWord(PoolWords) || IsPointWord(PointWords-8) {
		t.Error("points")
	}
}
