package excluded

import "slices"

// span is the bytes from ≤ x < to.
type span struct{ from, to uint64 }

// spans are sorted and apart.
type spans []span

// bytes is the n bytes at addr, up to the end of memory. The last byte of memory counts as the byte
// before it.
func bytes(addr, n uint64) span {
	x := span{min(addr, ^uint64(1)), addr + n}
	if x.to <= x.from {
		x.to = ^uint64(0)
	}
	return x
}

// word is the length of a Reach without a length.
const word = 8

// add returns s with x.
func (s spans) add(x span) spans {
	i, _ := slices.BinarySearchFunc(s, x.from, func(y span, from uint64) int {
		if y.to < from {
			return -1
		}
		return 1
	})
	j := i
	for j < len(s) && s[j].from <= x.to {
		x.from, x.to = min(x.from, s[j].from), max(x.to, s[j].to)
		j++
	}
	return slices.Replace(s, i, j, x)
}

// addAll returns s with all of d, which does not change.
func (s spans) addAll(d spans) spans {
	if len(d) > 8 {
		return union(s, d)
	}
	for _, x := range d {
		s = s.add(x)
	}
	return s
}

// behind returns the number of the first span that ends behind addr.
func (s spans) behind(addr uint64) int {
	i, j := 0, len(s)
	for i < j {
		if k := int(uint(i+j) >> 1); s[k].to <= addr {
			i = k + 1
		} else {
			j = k
		}
	}
	return i
}

func (s spans) overlaps(x span) bool {
	i := s.behind(x.from)
	return i < len(s) && s[i].from < x.to
}

// covers reports whether s has all of x.
func (s spans) covers(x span) bool {
	i := s.behind(x.from)
	return i < len(s) && s[i].from <= x.from && x.to <= s[i].to
}

func (s spans) meets(d spans) bool {
	if len(d) < len(s) {
		s, d = d, s
	}
	return slices.ContainsFunc(s, d.overlaps)
}

// words returns the number of words that the spans have a part of, if they are at most most.
func (s spans) words(most int) (n int, few bool) {
	for _, x := range s {
		size := (x.to-1)/word - x.from/word + 1
		if size > uint64(most) {
			return 0, false
		}
		if n += int(size); n > most {
			return 0, false
		}
	}
	return n, true
}

// eachWord calls f for each word that the spans have a part of.
func (s spans) eachWord(f func(addr uint64)) {
	for _, x := range s {
		for a := x.from &^ (word - 1); a < x.to; a += word {
			if f(a); a+word < a {
				return
			}
		}
	}
}

// minus returns the part of s that is not in d.
func (s spans) minus(d spans) (out spans) {
	for _, x := range s {
		for i := d.behind(x.from); i < len(d) && d[i].from < x.to; i++ {
			if x.from < d[i].from {
				out = append(out, span{x.from, d[i].from})
			}
			x.from = min(x.to, d[i].to)
		}
		if x.from < x.to {
			out = append(out, x)
		}
	}
	return out
}

// union merges two sorted lists.
func union(a, b spans) spans {
	out := make(spans, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		if len(a) == 0 || len(b) > 0 && b[0].from < a[0].from {
			a, b = b, a
		}
		x := a[0]
		a = a[1:]
		if n := len(out); n > 0 && x.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, x.to)
		} else {
			out = append(out, x)
		}
	}
	return out
}
