package symbolic

import (
	"fmt"
	"go/token"
	"go/types"
	"hash/crc32"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/place"
	"github.com/presage-race/presage/internal/static/summary"
)

// Context is what functions of one package share. It is not safe for concurrent use.
type Context struct {
	Table  *path.Table
	Fset   *token.FileSet
	Lookup func(key string) *summary.Function // nil: not summarised
	Std    bool                               // the package is of the standard library

	Generated func(token.Pos) bool // the file is generated

	types map[types.Type]string
	refs  map[types.Type]bool

	reached map[types.Type]reached
}

// Key names a function the same way in every package; instances have the name of their origin.
func Key(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.String()
}

// function is the analysis of one function.
type function struct {
	*Context
	fn     *ssa.Function
	names  *path.Names
	id     string              // the function in the names of sites
	placed map[token.Pos]int32 // numbers of places
	files  map[string]int32
	env    map[ssa.Value]aliases
	loop   []int // of a block: which loop it is in, 0 is none
	rpo    []*ssa.BasicBlock
	in     map[*ssa.BasicBlock]*state
	sum    *summary.Function

	recording bool
	block     *ssa.BasicBlock
	panics    *state // joined states of panics
	forks     bool   // the function starts goroutines
	flows     map[summary.Flow]bool
	seen      map[accessKey]int
	spawns    map[spawnKey]int
	results   map[*ssa.Call][]aliases
	spawnLoop map[int]int // of a spawn: the loop that it is in
	total     order.Counts
	acquired  map[int]map[*path.Node]*ssa.BasicBlock // by loop (X9)
	// channels that the function sends to and receives from (X10)
	both    map[ssa.Value]bool
	joins   joins
	touched map[*path.Node]*path.Node // load → the place that was read, for (X6)
	out     []memory                  // at each return
	choices map[*path.Node]ssa.Value  // registers that name locks (X15)
	// objects that escaped otherwise than into the memory of a formal
	leaked nodes
	gives  nodes // locks that were given up and not held (X36)
	// objects that others may reach than the goroutines that were started since they were
	// made (X32)
	outside nodes
}

type accessKey struct {
	loc    *path.Node
	kind   summary.Kind
	thread int
	pos    summary.Pos
}

type spawnKey struct {
	site ssa.Instruction
	sub  string
}

// maxRounds bounds how often a block is executed before counts are widened, and before it is given
// up.
const (
	widenAfter = 3
	maxRounds  = 12
)

// Analyse executes fn and returns its summary, which still has the accesses to the function's own
// objects: the pairs inside the frame are found among them. Export takes them out.
func (c *Context) Analyse(fn *ssa.Function) *summary.Function {
	f := &function{Context: c, fn: fn, env: map[ssa.Value]aliases{}, in: map[*ssa.BasicBlock]*state{},
		seen: map[accessKey]int{}, spawns: map[spawnKey]int{}, acquired: map[int]map[*path.Node]*ssa.BasicBlock{},
		joins: newJoins(), touched: map[*path.Node]*path.Node{}, results: map[*ssa.Call][]aliases{}, spawnLoop: map[int]int{}, leaked: nodes{}, outside: nodes{}, gives: nodes{}}
	f.names = &path.Names{}
	for _, p := range fn.Params {
		f.names.Params = append(f.names.Params, p.Name())
	}
	for _, v := range fn.FreeVars {
		f.names.Free = append(f.names.Free, v.Name())
	}
	f.sum = &summary.Function{Key: Key(fn), Names: f.names}
	f.id = fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(f.sum.Key)))
	f.placed, f.files = map[token.Pos]int32{}, map[string]int32{}
	f.at(fn.Pos())
	f.sum.Whole = c.Std || c.Generated != nil && c.Generated(fn.Pos())
	if fn.Pkg != nil {
		f.sum.Pkg = fn.Pkg.Pkg.Path()
	}
	f.sum.Exported = exported(fn)
	f.shape()
	f.mutexes()
	f.fixpoint()
	if len(f.joins.releasers) > 0 || f.awaits() {
		f.in, f.panics, f.sum.Cuts = map[*ssa.BasicBlock]*state{}, nil, summary.Cuts{}
		f.fixpoint()
	}
	f.recording = true
	for _, b := range f.rpo {
		if s := f.in[b]; s != nil {
			if out := f.execute(b, s); out != nil {
				f.rounds(b, out)
			}
		}
	}
	f.late()
	f.references()
	f.sum.Total = f.total
	f.lend()
	f.leave()
	f.within()
	return f.sum
}

func exported(fn *ssa.Function) bool {
	if fn.Synthetic != "" && fn.Pkg == nil || fn.Object() == nil || !fn.Object().Exported() {
		return false
	}
	if r := fn.Signature.Recv(); r != nil {
		t := r.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		n, ok := t.(*types.Named)
		return ok && n.Obj().Exported()
	}
	return true
}

// shape numbers the blocks and finds the loops.
func (f *function) shape() {
	n := len(f.fn.Blocks)
	f.loop = make([]int, n)
	index, low, on := make([]int, n), make([]int, n), make([]bool, n)
	var stack []*ssa.BasicBlock
	next, loops := 1, 0
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		index[b.Index], low[b.Index], on[b.Index] = next, next, true
		next++
		stack = append(stack, b)
		for _, s := range b.Succs {
			if index[s.Index] == 0 {
				visit(s)
				low[b.Index] = min(low[b.Index], low[s.Index])
			} else if on[s.Index] {
				low[b.Index] = min(low[b.Index], index[s.Index])
			}
			if s == b {
				f.loop[b.Index] = -1
			}
		}
		f.rpo = append(f.rpo, b)
		if low[b.Index] != index[b.Index] {
			return
		}
		loops++
		size := 0
		for i := len(stack) - 1; ; i-- {
			size++
			if stack[i] == b {
				break
			}
		}
		for _, m := range stack[len(stack)-size:] {
			on[m.Index] = false
			if size > 1 || f.loop[m.Index] == -1 {
				f.loop[m.Index] = loops
			}
		}
		stack = stack[:len(stack)-size]
	}
	visit(f.fn.Blocks[0])
	if r := f.fn.Recover; r != nil && index[r.Index] == 0 {
		rest := f.rpo
		f.rpo = nil
		visit(r)
		f.rpo = append(f.rpo, rest...)
	}
	for i, j := 0, len(f.rpo)-1; i < j; i, j = i+1, j-1 {
		f.rpo[i], f.rpo[j] = f.rpo[j], f.rpo[i]
	}
}

// mutexes finds the channels that the function both sends to and receives from (X10).
func (f *function) mutexes() {
	sends, receives := map[ssa.Value]bool{}, map[ssa.Value]bool{}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Go:
				f.forks = true
			case *ssa.Send:
				sends[holder(in.Chan)] = true
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					receives[holder(in.X)] = true
				}
			case *ssa.Select:
				for _, st := range in.States {
					if st.Dir == types.SendOnly {
						sends[holder(st.Chan)] = true
					} else {
						receives[holder(st.Chan)] = true
					}
				}
			}
		}
	}
	f.both = map[ssa.Value]bool{}
	for v := range sends {
		f.both[v] = receives[v]
	}
}

// holder is the variable that a channel was read from, or the channel itself.
func holder(ch ssa.Value) ssa.Value {
	if u, ok := ch.(*ssa.UnOp); ok && u.Op == token.MUL {
		return u.X
	}
	return ch
}

// rounds notes what the function has acquired before the next round of a loop that starts
// goroutines.
func (f *function) rounds(b *ssa.BasicBlock, out *state) {
	for _, succ := range b.Succs {
		if !succ.Dominates(b) {
			continue
		}
		for n, l := range f.spawnLoop {
			if l != f.loop[b.Index] {
				continue
			}
			sp, again := f.sum.Spawns[n-1], out.sync
			if sp.Again != nil {
				again = sp.Again.Join(again)
			}
			sp.Again = &again
		}
	}
}

// fixpoint propagates states until nothing changes.
func (f *function) fixpoint() {
	f.in[f.fn.Blocks[0]] = &state{}
	rounds := map[*ssa.BasicBlock]int{}
	dirty := map[*ssa.BasicBlock]bool{f.fn.Blocks[0]: true}
	for len(dirty) > 0 {
		for _, b := range f.rpo {
			if !dirty[b] {
				continue
			}
			delete(dirty, b)
			if rounds[b]++; rounds[b] > maxRounds {
				f.sum.Cuts[summary.BoundRounds]++
				continue
			}
			out := f.execute(b, f.in[b])
			if out == nil {
				continue
			}
			for i, succ := range b.Succs {
				s := f.edge(b, i, out)
				if s == nil {
					continue
				}
				if old := f.in[succ]; old != nil {
					j := old.join(s)
					f.sum.Cuts[summary.BoundGuesses] += j.dropped
					if rounds[succ] > widenAfter {
						j.sync.Released = widen(old.sync.Released, j.sync.Released)
					}
					if j.equal(old) {
						continue
					}
					s = j
				}
				f.in[succ] = s
				dirty[succ] = true
			}
		}
		if r := f.fn.Recover; r != nil && f.panics != nil && f.in[r] == nil {
			f.in[r] = f.panics
			dirty[r] = true
		}
	}
}

// widen sets the counts that still grow to Many.
func widen(old, now order.Counts) order.Counts {
	grown := order.Counts{}
	for o, n := range now {
		if n > old[o] {
			grown[o] = order.Many
		}
	}
	return now.Plus(grown)
}

// execute runs a block and returns the state at its end, nil if control does not go on.
func (f *function) execute(b *ssa.BasicBlock, in *state) *state {
	s := in.fork()
	f.block = b
	for _, instr := range b.Instrs {
		f.anew(s, instr)
		if !f.step(s, instr) {
			return nil
		}
	}
	return s
}

// site names an instruction within the program.
func (f *function) site(v ssa.Instruction, label string) string {
	return label + "#" + f.mark(f.place(v))
}

// mark names a place within the program, in few letters.
func (f *function) mark(p summary.Pos) string {
	id := f.id
	if p.Func != f.sum.Key {
		id = fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(p.Func)))
	}
	return id + "." + strconv.Itoa(int(p.Place))
}

// place is the place of an instruction.
func (f *function) place(v ssa.Instruction) summary.Pos { return f.at(place.Of(v)) }

// at numbers a position.
func (f *function) at(p token.Pos) summary.Pos {
	n, ok := f.placed[p]
	if !ok {
		n = int32(len(f.sum.Places))
		f.placed[p] = n
		pos := f.Fset.Position(p)
		file, ok := f.files[pos.Filename]
		if !ok {
			file = int32(len(f.sum.Files))
			f.files[pos.Filename] = file
			f.sum.Files = append(f.sum.Files, pos.Filename)
		}
		f.sum.Places = append(f.sum.Places, summary.Line{File: file, Line: int32(pos.Line), Column: int32(pos.Column)})
	}
	return summary.Pos{Func: f.sum.Key, Place: n}
}

// class names a type: the named type, without pointers in front of it.
func (f *function) class(t types.Type) string {
	if s, ok := f.types[t]; ok {
		return s
	}
	u := t
	if p, ok := types.Unalias(u).(*types.Pointer); ok {
		u = p.Elem()
	}
	u = types.Unalias(u)
	var s string
	if n, ok := u.(*types.Named); ok {
		n = n.Origin()
		s = n.Obj().Name()
		if p := n.Obj().Pkg(); p != nil {
			s = p.Path() + "." + s
		}
	} else if _, ok := u.(*types.TypeParam); ok {
		s = "T"
	} else {
		s = types.TypeString(u, nil)
		if len(s) > 80 {
			s = s[:80]
		}
	}
	if f.types == nil {
		f.types = map[types.Type]string{}
	}
	f.types[t] = s
	return s
}

// refers reports whether values of the type may lead to memory.
func (f *function) refers(t types.Type) bool {
	if r, ok := f.refs[t]; ok {
		return r
	}
	r := true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		r = u.Kind() == types.UnsafePointer
	case *types.Struct:
		r = false
		for i := range u.NumFields() {
			r = r || f.refers(u.Field(i).Type())
		}
	case *types.Array:
		r = f.refers(u.Elem())
	}
	if f.refs == nil {
		f.refs = map[types.Type]bool{}
	}
	f.refs[t] = r
	return r
}

// fieldName is the key of a field: its struct type and its name.
func (f *function) fieldName(t types.Type, i int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return f.class(t) + ".?"
	}
	name := st.Field(i).Name()
	if name == "_" {
		name = fmt.Sprintf("_%d", i)
	}
	c := f.class(t)
	if strings.HasPrefix(c, "struct{") {
		c = "struct"
	}
	return c + "." + name
}
