package engine

// lit is a literal: variable<<1 | sign. Variable 0 is the constant true.
type lit int32

const (
	litTrue  lit = 0
	litFalse lit = 1
	noLit    lit = -1
)

func (l lit) not() lit     { return l ^ 1 }
func (l lit) index() int32 { return int32(l >> 1) }

// vars holds what a variable stands for: "lo before hi" for an order variable; "the read ^lo-1 sees
// source number hi" where lo < -1 (MO11); lo is -1 for the others (a need, a writer of a needed
// read, an assumption).
type vars struct {
	lo, hi []int32
	needs  []lit // by literal: an order literal that it implies, or litTrue
	byPair map[uint64]int32
}

// arc returns the arc that l adds to the order when it is true.
func (v *vars) arc(l lit) (from, to int32, ok bool) {
	i := l.index()
	from, to = v.lo[i], v.hi[i]
	if l&1 == 1 {
		from, to = to, from
	}
	return from, to, v.lo[i] >= 0
}

// source returns the read and the number of the source that l is about, if it is about one.
func (v *vars) source(l lit) (r, i int32, ok bool) {
	x := l.index()
	return ^v.lo[x] - 1, v.hi[x], v.lo[x] < -1
}

// newSource is a new literal "the read r sees source number i".
func (s *sat) newSource(r, i int32) lit { return s.newVar(^(r + 1), i) }

func (s *sat) newVar(lo, hi int32) lit {
	v := int32(len(s.vars.lo))
	s.vars.needs = append(s.vars.needs, litTrue, litTrue)
	s.vars.lo, s.vars.hi = append(s.vars.lo, lo), append(s.vars.hi, hi)
	s.value = append(s.value, 0, 0)
	s.stamp = append(s.stamp, 0, 0)
	s.levelOf = append(s.levelOf, 0)
	s.reason = append(s.reason, nil)
	s.watches = append(s.watches, nil, nil)
	s.activity = append(s.activity, 0)
	s.seen = append(s.seen, false)
	return lit(v << 1)
}

// before is the literal "x stands before y"; one of them may be the cursor.
func (s *sat) before(x, y int32) lit {
	if x != s.order.cursor && y != s.order.cursor {
		if s.order.static.must(x, y) {
			return litTrue
		}
		if s.order.static.must(y, x) {
			return litFalse
		}
	}
	sign := lit(0)
	if x > y {
		x, y, sign = y, x, 1
	}
	k := uint64(x)<<32 | uint64(y)
	v, ok := s.vars.byPair[k]
	if !ok {
		v = s.newVar(x, y).index()
		s.vars.byPair[k] = v
	}
	return lit(v<<1) | sign
}

// out is the literal "x is not executed", in is "x is executed".
func (s *sat) out(x int32) lit { return s.before(s.order.cursor, x) }
func (s *sat) in(x int32) lit  { return s.before(x, s.order.cursor) }
