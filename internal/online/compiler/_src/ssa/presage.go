package ssa

import "strings"

// OpAMD64LoweredRace is the check of an access by the race detector: arg0=address, arg1=mem,
// returns mem; auxint=what RaceCheck says. It keeps all registers but R10 to R13 and those of
// floating point, flags too are lost.

// RaceCheck is auxint of a check: of a read or a write, of n bytes or (0) of what begins at the
// address.
func RaceCheck(write bool, n int64) int64 {
	if write {
		return n<<1 | 1
	}
	return n << 1
}

// raceRegs says which registers a check reads and loses.
func raceRegs() regInfo {
	var in, lost regMask
	for i, r := range registersAMD64 {
		switch r.name {
		case "AX":
			in = presageAddReg(in, i)
		case "R10", "R11", "R12", "R13",
			"X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", "X10", "X11", "X12", "X13", "X14":
			lost = presageAddReg(lost, i)
		}
	}
	return regInfo{inputs: []inputInfo{{0, in}}, clobbers: lost}
}

// A raceKey is what a check is of: n bytes at an offset from a value.
type raceKey struct {
	base   *Value
	off, n int64
}

func raceKeyOf(v *Value) raceKey {
	k := raceKey{v.Args[0], 0, v.AuxInt >> 1}
	for {
		switch k.base.Op {
		case OpOffPtr:
			k.off += k.base.AuxInt
		case OpNilCheck, OpCopy:
		default:
			return k
		}
		k.base = k.base.Args[0]
	}
}

// raceChecks leaves out checks that another makes for them (OC1): one of the same kind or a weaker
// one behind it on every path, and that of a read in front of that of a write in its block;
// with nothing in between that may synchronise.
func raceChecks(f *Func) {
	p := raceFlow{f: f, keys: make(map[raceKey]int), sset: f.newSparseSet(f.NumValues()), num: f.Cache.allocInt32Slice(f.NumValues())}
	defer f.Cache.freeInt32Slice(p.num)
	defer f.retSparseSet(p.sset)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == OpAMD64LoweredRace {
				k := raceKeyOf(v)
				if _, ok := p.keys[k]; !ok {
					p.keys[k] = len(p.keys)
				}
			}
		}
	}
	if len(p.keys) == 0 {
		return
	}
	p.steps = make([][]raceStep, f.NumBlocks())
	changed := false
	for _, b := range f.Blocks {
		p.order(b)
		changed = p.readsBeforeWrites(b) || changed
	}
	p.solve()
	for _, b := range f.Blocks {
		changed = p.repeated(b) || changed
	}
	if changed {
		copyelim(f)
	}
}

type raceFlow struct {
	f     *Func
	keys  map[raceKey]int
	steps [][]raceStep // by block
	// by block: what has been checked on every path to it, two bits a key; nil: everything (not
	// reached yet)
	in   [][]uint64
	sset *sparseSet
	num  []int32
}

// A raceStep is a check (v), or what ends the reach of checks in front of it (all), or what may end
// the program (panics).
type raceStep struct {
	v           *Value
	key         int
	all, panics bool
}

// order finds the steps of a block, in the order of memory.
func (p *raceFlow) order(b *Block) {
	var steps []raceStep
	for _, v := range storeOrder(b.Values, p.sset, p.num) {
		switch {
		case v.Op == OpAMD64LoweredRace:
			steps = append(steps, raceStep{v: v, key: p.keys[raceKeyOf(v)]})
		case opcodeTable[v.Op].nilCheck, v.Op == OpStaticLECall && raceSilent(v.Aux.(*AuxCall)):
			steps = append(steps, raceStep{panics: true})
		case racePlain(v):
		default:
			steps = append(steps, raceStep{all: true})
		}
	}
	p.steps[b.ID] = steps
}

// racePlain reports whether a value is known not to synchronise.
func racePlain(v *Value) bool {
	switch v.Op {
	case OpPhi, OpCopy, OpInitMem, OpStore, OpZero, OpMove, OpVarDef, OpVarLive, OpKeepAlive:
		return true
	case OpSelectN: // of a call, which is a step itself
		return true
	}
	return !v.Op.IsCall() && !v.Op.HasSideEffects() && !v.Type.IsMemory() && !(v.Type.IsTuple() && v.Type.FieldType(1).IsMemory()) && !v.Type.IsResults()
}

// readsBeforeWrites is the second case of (OC1). What may panic is between, too: the write would
// not come.
func (p *raceFlow) readsBeforeWrites(b *Block) bool {
	steps, changed := p.steps[b.ID], false
	var written map[int]bool
	for i := len(steps) - 1; i >= 0; i-- {
		switch s := &steps[i]; {
		case s.all || s.panics:
			written = nil
		case s.v.AuxInt&1 != 0:
			if written == nil {
				written = make(map[int]bool)
			}
			written[s.key] = true
		case written[s.key]:
			p.drop(s)
			changed = true
		}
	}
	return changed
}

func (p *raceFlow) drop(s *raceStep) {
	s.v.copyOf(s.v.MemoryArg())
	s.v = nil
}

// raceMax bounds the memory for what holds at blocks, in bits.
const raceMax = 1 << 26

// solve finds what has been checked on every path to each block.
func (p *raceFlow) solve() {
	p.in = make([][]uint64, p.f.NumBlocks())
	words := (2*len(p.keys) + 63) / 64
	p.in[p.f.Entry.ID] = make([]uint64, words)
	if words*64*len(p.f.Blocks) > raceMax { // within blocks alone
		for _, b := range p.f.Blocks {
			p.in[b.ID] = make([]uint64, words)
		}
		return
	}
	defined := make([][]int, p.f.NumBlocks())
	for k, i := range p.keys {
		id := k.base.Block.ID
		defined[id] = append(defined[id], i)
	}
	po := p.f.postorder()
	for changed := true; changed; {
		changed = false
		for i := len(po) - 1; i >= 0; i-- {
			b := po[i]
			if p.in[b.ID] == nil {
				continue // behind itself alone, so far
			}
			out := append([]uint64(nil), p.in[b.ID]...)
			p.pass(b, out, nil)
			for _, e := range b.Succs {
				changed = p.meet(e.b, out, defined[e.b.ID]) || changed
			}
		}
	}
	for _, b := range p.f.Blocks { // not reached
		if p.in[b.ID] == nil {
			p.in[b.ID] = make([]uint64, words)
		}
	}
}

// meet takes out of what holds at b what does not hold in out, or is of a value that b makes anew.
func (p *raceFlow) meet(b *Block, out []uint64, defined []int) (changed bool) {
	in := p.in[b.ID]
	if in == nil {
		in, changed = append([]uint64(nil), out...), true
		p.in[b.ID] = in
		for _, k := range defined {
			in[k/32] &^= 3 << (k % 32 * 2)
		}
		return true
	}
	for i := range in {
		if n := in[i] & out[i]; n != in[i] {
			in[i], changed = n, true
		}
	}
	return changed
}

// pass takes set through a block; repeated is called for a check that set has already.
func (p *raceFlow) pass(b *Block, set []uint64, repeated func(*raceStep)) {
	steps := p.steps[b.ID]
	for i := range steps {
		s := &steps[i]
		switch {
		case s.all:
			clear(set)
		case s.v != nil:
			bits := uint64(1) // a read
			if s.v.AuxInt&1 != 0 {
				bits = 3
			}
			bits <<= s.key % 32 * 2
			if w := &set[s.key/32]; *w&bits != bits {
				*w |= bits
			} else if repeated != nil {
				repeated(s)
			}
		}
	}
}

// repeated is the first case of (OC1).
func (p *raceFlow) repeated(b *Block) (changed bool) {
	p.pass(b, p.in[b.ID], func(s *raceStep) {
		p.drop(s)
		changed = true
	})
	return changed
}

// raceSilent reports whether a function is known not to synchronise: some of the runtime's, which
// no code of the program is called by.
func raceSilent(call *AuxCall) bool {
	if call == nil || call.Fn == nil {
		return false
	}
	name, ok := strings.CutPrefix(call.Fn.Name, "runtime.")
	return ok && raceRuntime[name]
}

// raceRuntime are functions that compiled code calls for what is one operation of the language, or
// part of one.
var raceRuntime = map[string]bool{
	// Memory.
	"newobject": true, "mallocgc": true, "makeslice": true, "makeslice64": true, "makeslicecopy": true, "growslice": true, "growsliceBuf": true, "growsliceBufNoAlias": true,
	"growsliceNoAlias": true, "memmove": true, "memclrNoHeapPointers": true, "memclrHasPointers": true, "typedmemmove": true, "typedmemclr": true, "typedslicecopy": true,
	"wbZero": true, "wbMove": true, "moveSlice": true, "moveSliceNoScan": true, "moveSliceNoCap": true, "moveSliceNoCapNoScan": true,
	// Strings.
	"concatstring2": true, "concatstring3": true, "concatstring4": true, "concatstring5": true, "concatstrings": true, "concatbyte2": true, "concatbyte3": true, "concatbyte4": true,
	"concatbyte5": true, "concatbytes": true, "cmpstring": true, "intstring": true, "slicebytetostring": true, "slicebytetostringtmp": true, "slicerunetostring": true,
	"stringtoslicebyte": true, "stringtoslicerune": true, "slicecopy": true, "decoderune": true, "countrunes": true,
	// Comparisons: of types of the language, by what the compiler has made for them.
	"memequal": true, "memequal8": true, "memequal16": true, "memequal32": true, "memequal64": true, "memequal128": true, "f32equal": true, "f64equal": true, "c64equal": true,
	"c128equal": true, "strequal": true, "interequal": true, "nilinterequal": true, "efaceeq": true, "ifaceeq": true,
	// Interfaces.
	"convT": true, "convTnoptr": true, "convT16": true, "convT32": true, "convT64": true, "convTstring": true, "convTslice": true, "assertE2I": true, "assertE2I2": true, "typeAssert": true,
	"interfaceSwitch": true,
	// Maps.
	"makemap": true, "makemap64": true, "makemap_small": true, "mapaccess1": true, "mapaccess1_fast32": true, "mapaccess1_fast64": true, "mapaccess1_faststr": true, "mapaccess1_fat": true,
	"mapaccess2": true, "mapaccess2_fast32": true, "mapaccess2_fast64": true, "mapaccess2_faststr": true, "mapaccess2_fat": true, "mapassign": true, "mapassign_fast32": true,
	"mapassign_fast32ptr": true, "mapassign_fast64": true, "mapassign_fast64ptr": true, "mapassign_faststr": true, "mapdelete": true, "mapdelete_fast32": true, "mapdelete_fast64": true,
	"mapdelete_faststr": true, "mapclear": true, "mapIterStart": true, "mapIterNext": true,
}
