package expr

import "testing"

func TestTexts(t *testing.T) {
	in := NewTexts([]TextSpan{{0x1000, "hello"}, {0x1010, "world"}})
	for _, c := range []struct {
		addr, n uint64
		want    string
		ok      bool
	}{
		{0x1000, 5, "hello", true},
		{0x1002, 2, "ll", true},
		{0x1000, 6, "", false},
		{0x1005, 1, "", false},
		{0x0fff, 1, "", false},
		{0x1012, 3, "rld", true},
		{0x1012, 4, "", false},
		{0, 0, "", true},
		{0x1004, 1 << 63, "", false},
	} {
		if s, ok := in.At(c.addr, c.n); s != c.want || ok != c.ok {
			t.Errorf("%#x, %d: %q, %v, want %q, %v", c.addr, c.n, s, ok, c.want, c.ok)
		}
	}
	at, ok := in.Place("placed")
	again, _ := in.Place("placed")
	if s, known := in.At(at+2, 3); !ok || again != at || s != "ace" || !known {
		t.Errorf("placed at %#x, then %#x: %q", at, again, s)
	}
	if s, known := in.At(at+2, 5); known {
		t.Errorf("%q, beyond the end", s)
	}
	if _, known := in.At(at+1<<placeShift, 1); known {
		t.Error("there is a string where none was placed")
	}
	if _, ok := in.Place(string(make([]byte, maxPlaced+1))); ok {
		t.Error("a string was placed that has no room")
	}
	var none *Texts
	if _, ok := none.At(0x1000, 1); ok {
		t.Error("no texts, and yet a content")
	}
}

// TestStringAt: a string in memory is what stands where its pointer leads, in the recorded run and
// in others.
func TestStringAt(t *testing.T) {
	in := NewTexts([]TextSpan{{0x1000, "idlebusy"}})
	s := StringAt(in, NewRead(0, 8, 0x1000), NewRead(1, 8, 4))
	e := Binary(Eql, String, 0, s, Text("busy"))
	if w, ok := e.Recorded(); w != 0 || !ok {
		t.Errorf("recorded: %d, %v", w, ok)
	}
	var v Evaluator
	for _, c := range []struct {
		ptr, n, want uint64
		ok           bool
	}{{0x1000, 4, 0, true}, {0x1004, 4, 1, true}, {0x1004, 3, 0, true}, {0x2000, 4, 0, false}} {
		w, ok := v.Eval(e, func(n int64) (uint64, bool) { return []uint64{c.ptr, c.n}[n], true })
		if ok != c.ok || ok && w != c.want {
			t.Errorf("%#x, %d: %d, %v", c.ptr, c.n, w, ok)
		}
	}
	if k := StringAt(in, Word(0x1004), Word(4)); !k.IsConst() {
		t.Errorf("%v is no constant", k)
	}
	if k := s.Replace(func(r *Expr) *Expr { return Word([]uint64{0x1000, 8}[r.Number()]) }); k.String() != `"idlebusy"` {
		t.Errorf("%v", k)
	}
}
