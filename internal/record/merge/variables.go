package merge

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// variable is memory of a package-level variable, with what was in it before main.main; data may be
// shorter than n: what follows is zero.
type variable struct {
	x, n uint64
	data []byte
}

// maxVariable bounds the size that is believed.
const maxVariable = 1 << 24

// variable takes what the main goroutine has found in a variable, but for the words that the trace
// has accessed already, and those of the current groups: these accesses may have come before it
// looked.
func (m *merger) variable(r *record) {
	x, n := r.word(0), r.word(1)
	switch {
	case x == 0:
		m.meta.Warn("variables-large", int(n), "package-level variables are so large that what they hold at first was not recorded")
		return
	case n > maxVariable || x+n < x:
		m.damaged("a variable of %d bytes at %#x", n, x)
		return
	}
	if m.inWide(x, n) {
		return
	}
	if len(m.vars) == 0 {
		m.varsAt = m.stats.Events + int64(len(m.buf))
	}
	data := r.w[16:]
	m.consts.scan(data)
	v := variable{x: x, n: n, data: slices.Clone(data[:min(n, uint64(len(data)))])}
	m.shadow.within(x, n, func(w uint64, c *cell) {
		if c.stream != 0 || c.known != 0 || c.racy {
			head, tail := v, v
			head.n = max(w, v.x) - v.x
			head.data = v.data[:min(head.n, uint64(len(v.data)))]
			m.keep(head)
			cut := min(w+8, v.x+v.n) - v.x
			tail.x, tail.n, tail.data = v.x+cut, v.n-cut, v.data[min(cut, uint64(len(v.data))):]
			v = tail
		}
	})
	m.keep(v)
}

func (m *merger) keep(v variable) {
	if v.n > 0 {
		m.vars = append(m.vars, v)
	}
}

// inWide reports whether some of the n bytes at x are in an access of a current group whose cells
// are not noted.
func (m *merger) inWide(x, n uint64) bool {
	return slices.ContainsFunc(m.wide, func(w wide) bool { return w.x < x+n && x < w.x+w.n && m.live(w.ref) })
}

// variables puts those of the variables' words into the meta that the trace accesses.
func (m *merger) variables() {
	slices.SortFunc(m.vars, func(a, b variable) int { return cmp.Compare(a.x, b.x) })
	var list []trace.Memory
	end := uint64(0) // of the last one
	for _, v := range m.vars {
		if v.x < end { // two variables at one place: of size 0, or the record is damaged
			continue
		}
		m.shadow.within(v.x, v.n, func(w uint64, c *cell) {
			if c.known == 0 {
				return
			}
			lo, hi := max(w, v.x), min(w+8, v.x+v.n)
			if k := len(list); k == 0 || end != lo {
				list = append(list, trace.Memory{Addr: trace.Addr(lo)})
			}
			to := &list[len(list)-1]
			for x := lo; x < hi; x++ {
				b := byte(0)
				if i := x - v.x; i < uint64(len(v.data)) {
					b = v.data[i]
				}
				to.Data = append(to.Data, b)
			}
			end = hi
		})
	}
	m.meta.Variables, m.meta.VariablesAt = list, m.varsAt
}
