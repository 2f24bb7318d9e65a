package merge

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// variables collects the addresses and initial values of package-level variables for the meta of
// the trace.
type variables struct {
	shadow *shadow
	names  []string // Options.Variables
	placed []trace.Global
	list   []variable
	large  int // variables whose values were not recorded
}

// variable is memory of a package-level variable with its content before main.main. The data may be
// shorter than n; the rest is zero.
type variable struct {
	x, n uint64
	data []byte
}

// maxVariable is the size of the largest variable that is taken for valid.
const maxVariable = 1 << 24

// place takes the address of the variable with a number.
func (k *variables) place(number uint32, x uint64) {
	if uint64(number) < uint64(len(k.names)) && k.names[number] != "" {
		k.placed = append(k.placed, trace.Global{Name: k.names[number], Addr: trace.Addr(x)})
	}
}

// globals returns the variables in the order of their addresses.
func (k *variables) globals() []trace.Global {
	slices.SortFunc(k.placed, func(a, b trace.Global) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Name, b.Name))
	})
	return k.placed
}

// read takes the content of a variable, as the main goroutine read it. It leaves out the words
// that the trace or a current group accesses: the access may be older than the content. The caller
// checks current.inRange.
func (k *variables) read(x, n uint64, data []byte) {
	v := variable{x: x, n: n, data: slices.Clone(data[:min(n, uint64(len(data)))])}
	k.shadow.within(x, n, func(w uint64, c *cell) {
		if c.stream != 0 || c.known != 0 || c.everContended {
			head, tail := v, v
			head.n = max(w, v.x) - v.x
			head.data = v.data[:min(head.n, uint64(len(v.data)))]
			k.add(head)
			cut := min(w+8, v.x+v.n) - v.x
			tail.x, tail.n, tail.data = v.x+cut, v.n-cut, v.data[min(cut, uint64(len(v.data))):]
			v = tail
		}
	})
	k.add(v)
}

func (k *variables) add(v variable) {
	if v.n > 0 {
		k.list = append(k.list, v)
	}
}

// accessed returns the words of the variables that the trace accesses. Adjacent words are one
// piece.
func (k *variables) accessed() []trace.Memory {
	slices.SortFunc(k.list, func(a, b variable) int { return cmp.Compare(a.x, b.x) })
	var list []trace.Memory
	end := uint64(0) // of the last piece
	for _, v := range k.list {
		if v.x < end { // two variables at one address: of size 0, or the record is damaged
			continue
		}
		k.shadow.within(v.x, v.n, func(w uint64, c *cell) {
			if c.known == 0 {
				return
			}
			lo, hi := max(w, v.x), min(w+8, v.x+v.n)
			if n := len(list); n == 0 || end != lo {
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
	return list
}
