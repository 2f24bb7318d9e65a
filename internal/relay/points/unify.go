package points

// cell is a part of an object that has no name of its own.
type cell uint8

const (
	pointed cell = iota // what a pointer points to, if that is no struct
	element             // of slices and arrays
	mapKey
	mapValue
	sent // through a channel
	numCells
)

// unifier holds nodes, and what they point to, in two union-find structures (U1, U2).
type unifier struct {
	parent []int32              // nodes that are one
	memory []int32              // of a node: the class of what it points to
	class  []int32              // parents of these classes
	cells  []*[numCells]int32   // of a class: node + 1
	keep   func(m, n int32) int // which of two nodes stays, 0 or 1; −1: both do
}

func root(parent []int32, i int32) int32 {
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}

func (u *unifier) add() int32 {
	i := int32(len(u.parent))
	u.parent = append(u.parent, i)
	u.memory = append(u.memory, i)
	u.class = append(u.class, i)
	u.cells = append(u.cells, nil)
	return i
}

func (u *unifier) find(n int32) int32 { return root(u.parent, n) }

func (u *unifier) classOf(n int32) int32 { return root(u.class, u.memory[u.find(n)]) }

// merge makes two nodes one (U1).
func (u *unifier) merge(m, n int32) {
	m, n = u.find(m), u.find(n)
	if m == n {
		return
	}
	switch u.keep(m, n) {
	case 0:
		u.parent[n] = m
	case 1:
		u.parent[m] = n
	}
	u.join(root(u.class, u.memory[m]), root(u.class, u.memory[n]))
}

// share makes what two nodes point to one (U2).
func (u *unifier) share(m, n int32) { u.join(u.classOf(m), u.classOf(n)) }

func (u *unifier) join(x, y int32) {
	if x == y {
		return
	}
	u.class[y] = x
	moved := u.cells[y]
	u.cells[y] = nil
	if moved == nil {
		return
	}
	for c, n := range moved {
		if n > 0 {
			u.put(x, cell(c), n-1)
		}
	}
}

// put makes n the cell of a class, or one with what is.
func (u *unifier) put(x int32, c cell, n int32) {
	x = root(u.class, x)
	if u.cells[x] == nil {
		u.cells[x] = &[numCells]int32{}
	}
	if old := u.cells[x][c]; old > 0 {
		u.merge(old-1, n)
		return
	}
	u.cells[x][c] = n + 1
}

// bind makes n the cell of what m points to.
func (u *unifier) bind(m int32, c cell, n int32) { u.put(u.classOf(m), c, n) }

// cell is the node of a cell of what n points to.
func (u *unifier) cell(n int32, c cell, fresh func() int32) int32 {
	x := u.classOf(n)
	if u.cells[x] != nil && u.cells[x][c] > 0 {
		return u.find(u.cells[x][c] - 1)
	}
	m := fresh()
	u.put(x, c, m)
	return m
}
