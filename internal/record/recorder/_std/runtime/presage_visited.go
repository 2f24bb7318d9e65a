package runtime

// What a walk has come to: a hash table whose entries say of which walk they are, so that the next
// one has not to empty it.

// fresh reports whether n values of type t at p were not there yet, and notes that they are.
func (r *pgWalk) fresh(p, t, n uintptr) bool { return r.freshAt(pgHash(p, t), p, t, n) }

// pgHash is that of values of type t at p.
func pgHash(p, t uintptr) uint64 { return uint64(p>>3^t*31) * 0x9E3779B97F4A7C15 }

func (r *pgWalk) freshAt(h uint64, p, t, n uintptr) bool {
	x, was := r.was(h, p, t, n)
	if !was {
		r.notes(x, p, t, n)
	}
	return !was
}

// was reports whether n values of type t at p were there already, and returns the entry, or where
// it would be.
func (r *pgWalk) was(h uint64, p, t, n uintptr) (x *pgPlace, was bool) {
	if m := r.made; m != nil {
		if x := m.at(h, p, t); x.round == m.round && x.n >= n {
			return x, true
		}
	}
	x = r.at(h, p, t)
	return x, x.round == r.round && x.n >= n
}

// notes notes at x, which was returned, that they are.
func (r *pgWalk) notes(x *pgPlace, p, t, n uintptr) {
	if x.round == r.round {
		x.n = n
		return
	}
	*x = pgPlace{p, t, n, r.round}
	switch r.places++; {
	case r.places == pgFew/2:
		for i := range r.few {
			if y := &r.few[i]; y.round == r.round {
				*r.at(pgHash(y.addr, y.typ), y.addr, y.typ) = *y
			}
		}
	case r.places > pgPlaces/2:
		r.tooMuch()
	}
}

// at returns the entry of values of type t at p in the table, or where it would be.
func (r *pgWalk) at(h uint64, p, t uintptr) *pgPlace {
	for h >>= 40; ; h++ {
		x := &r.place[h%pgPlaces]
		if r.places < pgFew/2 {
			x = &r.few[h%pgFew]
		}
		if x.round != r.round || x.addr == p && x.typ == t {
			return x
		}
	}
}
