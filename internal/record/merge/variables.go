package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/trace"
)

// variables collects the addresses and initial values of package-level variables for the meta of
// the trace.
type variables struct {
	shadow *shadow
	known  []trace.Global // Options.Variables
	placed []trace.Global
	list   []variable
	large  int  // variables whose values were not recorded
	cut    int  // variables that are not accessed and whose values were left out
	hooked bool // all outside code has access hooks
	// the stamp of the main goroutine after it has read the variables; 0: none is placed yet
	until  uint64
	late   map[uint64]trace.GoID // words of wrote, and who wrote them; -1: several goroutines
	reader trace.GoID            // the main goroutine, which reads the variables

	used     map[uint64]bool // channels with an operation before the variables are read
	channels []trace.Channel

	functions []function
	conds     []trace.Cond
}

// function is a function value, with its code if that is not one of package sync.
type function struct {
	trace.Function
	code pcPlace
}

// variable is memory of a package-level variable with its content before main.main. The data may be
// shorter than n; the rest is zero.
type variable struct {
	x, n uint64
	data []byte
	keep bool // the words that the trace does not access, too
}

const (
	maxVariable = 1 << 24 // size of the largest variable that is taken for valid
	// Of variables that the trace does not access, the size of the largest with a content in the
	// meta, and the bytes of all of them.
	maxUnaccessed    = 256
	maxAllUnaccessed = 64 << 10
)

// place takes the address of the variable with a number, and its size; watched says that the
// recorder watches it. It reports whether the trace has all writes of it, if it is watched to the
// end, in package initialisation excepted.
func (k *variables) place(number uint32, x, n uint64, watched bool) bool {
	if uint64(number) >= uint64(len(k.known)) || k.known[number].Name == "" {
		return false
	}
	g := k.known[number]
	g.Addr, g.Size, g.Watched = trace.Addr(x), n, g.Watched && watched && k.hooked
	k.placed = append(k.placed, g)
	return g.Own || g.Watched
}

// wrote takes a word that outside code wrote by a late record, and the stamp of the record. Suppose
// that the record is older than the contents. Then it is unknown whether the write is. Its place in
// the trace, the end of its context, does not show it. So the content of the word is left out,
// unless the goroutine that has read it has written it: then the write is older.
func (k *variables) wrote(g trace.GoID, word, at uint64) {
	if k.until == 0 || at <= k.until {
		if k.late == nil {
			k.late = make(map[uint64]trace.GoID)
		}
		if by, ok := k.late[word]; ok && by != g {
			g = -1
		}
		k.late[word] = g
	}
}

// operates takes an operation on a channel.
func (k *variables) operates(ch uint64) {
	if k.until == 0 {
		if k.used == nil {
			k.used = make(map[uint64]bool)
		}
		k.used[ch] = true
	}
}

// channel takes a channel that a variable points to, if no operation on it comes before.
func (k *variables) channel(ch, size uint64) {
	if ch != 0 && !k.used[ch] {
		k.channels = append(k.channels, trace.Channel{Addr: trace.Addr(ch), Cap: size})
	}
}

// made returns the channels in the order of their addresses. Two variables may point to one.
func (k *variables) made() []trace.Channel {
	slices.SortFunc(k.channels, func(a, b trace.Channel) int { return cmp.Compare(a.Addr, b.Addr) })
	return slices.Compact(k.channels)
}

// hold fills in the function values and Conds that variables hold, by address. Of a function value
// without a Once, the function must be one of the meta.
func (k *variables) hold(meta *trace.Meta) {
	type place struct {
		file string
		line int32
	}
	at := make(map[place][]trace.FuncID)
	for i, f := range meta.Funcs {
		if f.File >= 0 && int(f.File) < len(meta.Files) {
			p := place{meta.Files[f.File].Name, f.Line}
			at[p] = append(at[p], trace.FuncID(i))
		}
	}
	meta.Functions = nil
	for _, f := range k.functions {
		if f.Once == 0 {
			list := slices.DeleteFunc(slices.Clone(at[place{f.code.file, f.code.line}]), func(id trace.FuncID) bool {
				return withoutPackage(meta.Funcs[id].Name) != withoutPackage(f.code.name)
			})
			if len(list) != 1 {
				continue
			}
			f.Func = list[0]
		}
		meta.Functions = append(meta.Functions, f.Function)
	}
	slices.SortFunc(meta.Functions, func(a, b trace.Function) int { return cmp.Compare(a.Addr, b.Addr) })
	meta.Functions = slices.Compact(meta.Functions)
	slices.SortFunc(k.conds, func(a, b trace.Cond) int { return cmp.Compare(a.Addr, b.Addr) })
	meta.Conds = slices.Compact(k.conds)
}

// withoutPackage returns the name of a function without the path of its package. The linker calls
// the package of a program main.
func withoutPackage(name string) string { return strings.TrimPrefix(name[len(packageOf(name)):], ".") }

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
func (k *variables) read(x, n uint64, data []byte, keep bool) {
	v := variable{x: x, n: n, data: slices.Clone(data[:min(n, uint64(len(data)))]), keep: keep && n <= maxUnaccessed}
	k.shadow.within(x, n, func(w uint64, c *cell) {
		if c.stream != 0 || c.known != 0 || c.everContended {
			var head variable
			head, v = v.split(w)
			k.add(head)
		}
	})
	k.add(v)
}

// split returns the parts of v before and after the word at w.
func (v variable) split(w uint64) (head, tail variable) {
	head, tail = v, v
	head.n = max(w, v.x) - v.x
	head.data = v.data[:min(head.n, uint64(len(v.data)))]
	cut := min(w+8, v.x+v.n) - v.x
	tail.x, tail.n, tail.data = v.x+cut, v.n-cut, v.data[min(cut, uint64(len(v.data))):]
	return head, tail
}

// withoutLate takes the words in late out of the list.
func (k *variables) withoutLate() {
	maps.DeleteFunc(k.late, func(_ uint64, g trace.GoID) bool { return g == k.reader })
	late := slices.Sorted(maps.Keys(k.late))
	if len(late) == 0 {
		return
	}
	list := k.list
	k.list = nil
	for _, v := range list {
		i, _ := slices.BinarySearch(late, v.x&^7)
		for ; i < len(late) && late[i] < v.x+v.n; i++ {
			var head variable
			head, v = v.split(late[i])
			k.add(head)
		}
		k.add(v)
	}
}

func (k *variables) add(v variable) {
	if v.n > 0 {
		k.list = append(k.list, v)
	}
}

// contents returns the content of the variables: of the words that the trace accesses, and of small
// variables of which it has all writes (place) the other words as well. Nobody has written these,
// if whole says that the trace has all accesses that were made before the main goroutine read the
// variables. Adjacent words are one piece.
func (k *variables) contents(whole bool) []trace.Memory {
	k.withoutLate()
	slices.SortFunc(k.list, func(a, b variable) int { return cmp.Compare(a.x, b.x) })
	var list pieces
	room := uint64(maxAllUnaccessed)
	for _, v := range k.list {
		if v.x < list.end { // two variables at one address: of size 0, or the record is damaged
			continue
		}
		at := v.x // up to here, the words are in the list or left out
		all := whole && v.keep && v.n <= room
		k.shadow.within(v.x, v.n, func(w uint64, c *cell) {
			if c.known == 0 {
				return
			}
			if all {
				room -= list.add(&v, at, max(w, v.x))
			}
			at = min(w+8, v.x+v.n)
			list.add(&v, max(w, v.x), at)
		})
		switch {
		case all:
			room -= list.add(&v, at, v.x+v.n)
		case whole && v.keep:
			k.cut++
		}
	}
	return list.memory
}

// pieces is contents of memory, by address.
type pieces struct {
	memory []trace.Memory
	end    uint64 // of the last piece
}

// add appends the bytes from lo to hi of a variable. It returns their number.
func (p *pieces) add(v *variable, lo, hi uint64) uint64 {
	if lo >= hi {
		return 0
	}
	if len(p.memory) == 0 || p.end != lo {
		p.memory = append(p.memory, trace.Memory{Addr: trace.Addr(lo)})
	}
	to := &p.memory[len(p.memory)-1]
	for x := lo; x < hi; x++ {
		b := byte(0)
		if i := x - v.x; i < uint64(len(v.data)) {
			b = v.data[i]
		}
		to.Data = append(to.Data, b)
	}
	p.end = hi
	return hi - lo
}
