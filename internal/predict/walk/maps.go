package walk

import (
	"cmp"
	"encoding/binary"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/alternative"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// mapFacts is what the trace shows of the contents of maps: for each map, its operations in the
// order of the trace. Alternatives look it up while the walk continues.
type mapFacts struct {
	mu  sync.Mutex
	ops map[uint64][]mapOp // by the address of the map
	off bool               // some code may write maps without a record

	// entries are what package initialisation gives maps of variables without a record, by address,
	// and until is the event before which it ends.
	entries map[uint64][]mapOp
	until   int64
}

// A mapOp is an operation on a map, or one of the two results of a lookup.
type mapOp struct {
	event   int64 // the access
	noted   int64 // the event that has shown what it says
	kind    mapOpKind
	key     flow.MapKey
	value   goval.Value // what is there for the key; unknown with an unknown value
	present bool        // whether something is there for the key
}

type mapOpKind uint8

const (
	mapMade     mapOpKind = iota // the map begins; operations with the same event fill it
	mapClears                    // nothing is there any more
	mapChanges                   // some key has another value
	mapWrites                    // a value for the key; present: that is not deleted
	mapFinds                     // the value of the key is value
	mapPresence                  // the key is there, or not
)

const (
	mapAge       = placesAge // events for which an operation is kept
	maxMapScan   = 4096      // operations that MapAt looks at, to each side
	maxMapValue  = 64        // bytes of a value that is kept
	mapTrimmedAt = 64        // operations of a map from which on old ones are looked for
)

// note adds an operation on the map at an address.
func (k *mapFacts) note(m uint64, op mapOp) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ops == nil {
		k.ops = map[uint64][]mapOp{}
	}
	list := k.ops[m]
	if n := len(list); n >= mapTrimmedAt && n&(n-1) == 0 {
		list = slices.DeleteFunc(list, func(x mapOp) bool { return x.event < op.event-mapAge })
	}
	i := len(list)
	for i > 0 && list[i-1].event > op.event {
		i--
	}
	k.ops[m] = slices.Insert(list, i, op)
}

// initial notes what package initialisation has left in the maps of variables: of those that are
// initialised by make, or by a literal of constants. Code without records may change such a map
// during initialisation, unless only instrumented code names the variable, and no initialiser does.
func (k *mapFacts) initial(meta *trace.Meta, p *plan.Plan) {
	k.off = meta.Unhooked || len(meta.Missing) > 0
	k.entries, k.until = map[uint64][]mapOp{}, meta.VariablesAt
	at := make(map[string]trace.Addr, len(meta.Globals))
	for _, g := range meta.Globals {
		if g.Own {
			at[g.Name] = g.Addr
		}
	}
	for _, pkg := range p.Program.Packages {
		init := pkg.SSA.Func("init")
		if init == nil {
			continue
		}
		for _, b := range init.Blocks {
			for _, in := range b.Instrs {
				x, ok := in.(*ssa.MakeMap)
				if !ok {
					continue
				}
				if g, list := literalOf(x); g != nil && at[g.String()] != 0 && !loads(init, g) {
					k.entries[wordAt(meta.Variables, uint64(at[g.String()]))] = list
				}
			}
		}
	}
	delete(k.entries, 0)
	for m, list := range k.entries { // the order does not matter
		k.begins(m, list, -1)
	}
}

// loads reports whether a function names a variable other than in stores to it.
func loads(fn *ssa.Function, g *ssa.Global) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if st, ok := in.(*ssa.Store); ok && st.Addr == g && st.Val != g {
				continue
			}
			for _, o := range in.Operands(nil) {
				if *o == g {
					return true
				}
			}
		}
	}
	return false
}

// begins notes what a map has after an event.
func (k *mapFacts) begins(m uint64, list []mapOp, at int64) {
	k.note(m, mapOp{event: at, noted: at, kind: mapMade})
	for _, op := range list {
		op.event, op.noted = at, at
		k.note(m, op)
	}
}

// literalOf returns the variable that a map is the initial value of, and the entries that it has
// then. The variable is nil if the map is not that of a literal of constants.
func literalOf(x *ssa.MakeMap) (g *ssa.Global, list []mapOp) {
	t, ok := x.Type().Underlying().(*types.Map)
	if !ok {
		return nil, nil
	}
	for _, r := range *x.Referrers() {
		switch r := r.(type) {
		case *ssa.MapUpdate:
			kc, ok := r.Key.(*ssa.Const)
			v := goval.Value{}
			if c, ok := r.Value.(*ssa.Const); ok {
				v = keptValue(t, regcode.Constant(c))
			}
			key, ok2 := flow.MapKey{}, false
			if ok {
				key, ok2 = alternative.MapKeyOf(t.Key(), regcode.Constant(kc))
			}
			if !ok2 || r.Map != x {
				return nil, nil
			}
			list = append(list, mapOp{kind: mapWrites, key: key, present: true, value: v})
		case *ssa.Store:
			v, ok := r.Addr.(*ssa.Global)
			if !ok || g != nil {
				return nil, nil
			}
			g = v
		default:
			return nil, nil
		}
	}
	return g, list
}

// wordAt returns the word at an address in the contents of variables, 0 if it is not known.
func wordAt(list []trace.Memory, addr uint64) uint64 {
	i, ok := slices.BinarySearchFunc(list, trace.Addr(addr), func(m trace.Memory, a trace.Addr) int { return cmp.Compare(m.Addr, a) })
	if !ok {
		i--
	}
	if i < 0 || addr-uint64(list[i].Addr)+8 > uint64(len(list[i].Data)) {
		return 0
	}
	return binary.LittleEndian.Uint64(list[i].Data[addr-uint64(list[i].Addr):])
}

// changed notes that something has written to the memory of a map, if it is one.
func (k *mapFacts) changed(m uint64, event int64) {
	k.mu.Lock()
	_, ok := k.ops[m]
	k.mu.Unlock()
	if ok {
		k.note(m, mapOp{event: event, noted: event, kind: mapChanges})
	}
}

// allocated forgets the map at an address at which memory is allocated anew. A map is at the
// beginning of what was allocated.
func (k *mapFacts) allocated(addr uint64, at int64) {
	if list, ok := k.entries[addr]; ok && at < k.until {
		k.begins(addr, list, at)
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	list, ok := k.ops[addr]
	switch {
	case !ok:
	case list[len(list)-1].event < at-mapAge:
		delete(k.ops, addr)
	default:
		k.ops[addr] = append(list, mapOp{event: at, noted: at, kind: mapChanges})
	}
}

// MapAt implements [alternative.Facts]. Of a map that is made later, it returns what the map begins
// with.
func (k *mapFacts) MapAt(m uint64, key flow.MapKey, at, until int64) alternative.MapContent {
	var c content
	if k.off {
		return c.MapContent
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.ops[m]
	end := len(list)
	for end > 0 && list[end-1].event > at {
		end--
	}
	before(list[:end], key, until, &c)
	left := maxMapScan
	for i := end; i < len(list) && list[i].event < until && left > 0 && !c.whole(); i++ {
		op := &list[i]
		if op.noted < until {
			left--
		}
		if op.kind == mapMade {
			begun := i + 1
			for begun < len(list) && list[begun].event == op.event {
				begun++
			}
			before(list[i:begun], key, until, &c)
			break
		}
		if op.noted < until && op.shows(key, &c, false) {
			break
		}
	}
	return c.MapContent
}

// content is what is known of a key so far.
type content struct{ alternative.MapContent }

func (c *content) whole() bool { return c.HasValue && c.HasPresent }

// before adds to c what operations show about a key after the last one.
func before(list []mapOp, key flow.MapKey, until int64, c *content) {
	left := maxMapScan
	for i := len(list) - 1; i >= 0 && left > 0 && !c.whole(); i-- {
		op := &list[i]
		if op.noted >= until { // what is noted so late is not the same in each analysis
			continue
		}
		if left--; op.shows(key, c, true) {
			return
		}
	}
}

// shows adds to c what an operation shows about a key: after a write if that comes before the
// moment that is asked for. It returns true if what lies behind the operation shows nothing.
func (op *mapOp) shows(key flow.MapKey, c *content, before bool) (last bool) {
	switch {
	case op.kind == mapChanges, op.kind == mapClears && !before:
		return true
	case op.kind == mapClears, op.kind == mapMade:
		c.Absent()
		return true
	case op.key != key:
		return false
	case op.kind == mapFinds && !c.HasValue:
		c.Value, c.HasValue = op.value, true
	case op.kind == mapPresence && !c.HasPresent:
		c.Present, c.HasPresent = op.present, true
	case op.kind == mapWrites && before:
		if !op.present {
			c.Absent()
			return true
		}
		if !c.HasPresent {
			c.Present, c.HasPresent = true, true
		}
		if !c.HasValue {
			c.Value, c.HasValue = op.value, !op.value.Unknown()
		}
		return true
	case op.kind == mapWrites:
		return true
	}
	return false
}

// MapValueAt implements [flow.MapFacts].
func (k *mapFacts) MapValueAt(m uint64, key flow.MapKey, elem types.Type, at, before int64) (v flow.MapValue, ok bool) {
	c := k.MapAt(m, key, at, before)
	return c.MapValueIn(elem)
}

// mapAccess notes an access to a map by an instruction of walked code. It returns what the access
// is about, nil if that is not known.
func (l *learner) mapAccess(f *Frame, in *regcode.Instr, e *trace.Event, event int64) *flow.Entry {
	op := mapOp{event: event, noted: event, kind: mapChanges}
	var entry *flow.Entry
	about := func(t *types.Map, key flow.MapKey, ok bool) {
		if ok && !l.facts.off && !plan.Open(t.Elem()) {
			entry = &flow.Entry{Key: key, Address: alternative.Address(t.Key()), Elem: t.Elem(), Facts: l.facts}
		}
	}
	switch x := in.SSA.(type) {
	case *ssa.Lookup:
		if t, ok := plan.Core(x.X.Type()).(*types.Map); ok {
			key, ok := alternative.MapKeyOf(t.Key(), f.Value(&in.Args[1]))
			if about(t, key, ok); entry != nil {
				entry.Only = x.CommaOk && !extracts(x, 0)
			}
		}
	case *ssa.MapUpdate:
		t := plan.Core(x.Map.Type()).(*types.Map)
		key, ok := alternative.MapKeyOf(t.Key(), f.Value(&in.Args[1]))
		if ok {
			op.kind, op.key, op.present, op.value = mapWrites, key, true, keptValue(t, f.Value(&in.Args[2]))
		}
		if about(t, key, ok); entry != nil {
			entry.Left = alternative.MapValueOf(t.Elem(), f.Value(&in.Args[2]))
		}
	case *ssa.Call:
		op.kind, op.key = removed(f, in, x)
		if op.kind != mapChanges {
			t := plan.Core(x.Call.Args[0].Type()).(*types.Map)
			if about(t, op.key, true); entry != nil {
				entry.All = op.kind == mapClears
			}
		}
	}
	if e.Kind.IsWrite() {
		l.facts.note(uint64(e.Obj), op)
		l.wrote = event
	}
	return entry
}

// extracts reports whether a result of a lookup is used.
func extracts(x *ssa.Lookup, result int) bool {
	return slices.ContainsFunc(*x.Referrers(), func(in ssa.Instruction) bool {
		e, ok := in.(*ssa.Extract)
		return !ok || e.Index == result
	})
}

// removed returns what a call of delete or clear does.
func removed(f *Frame, in *regcode.Instr, x *ssa.Call) (mapOpKind, flow.MapKey) {
	b, ok := x.Call.Value.(*ssa.Builtin)
	switch {
	case !ok:
	case b.Name() == "clear":
		return mapClears, flow.MapKey{}
	case b.Name() == "delete":
		t := plan.Core(x.Call.Args[0].Type()).(*types.Map)
		if key, ok := alternative.MapKeyOf(t.Key(), f.Value(&in.Args[2])); ok {
			return mapWrites, key
		}
	}
	return mapChanges, flow.MapKey{}
}

// keptValue is a value of a map, unknown if it is large or not known.
func keptValue(t *types.Map, v goval.Value) goval.Value {
	if plan.Open(t.Elem()) {
		return goval.Value{}
	}
	if b, ok := t.Elem().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		if _, ok := v.Content(); ok {
			return v
		}
	}
	if n := plan.Sizeof(t.Elem()); n > maxMapValue || !v.IsKnown(n) {
		return goval.Value{}
	}
	return v
}

// looked notes a result of a lookup, which a record has shown.
func (l *learner) looked(f *Frame, in *regcode.Instr, x *ssa.Lookup, event int64) {
	t, ok := plan.Core(x.X.Type()).(*types.Map)
	if !ok || f.stage.mapAt < 0 {
		return
	}
	m, ok := f.Value(&in.Args[0]).Bits()
	key, ok2 := alternative.MapKeyOf(t.Key(), f.Value(&in.Args[1]))
	if !ok || !ok2 || m < 4096 {
		return
	}
	op := mapOp{event: f.stage.mapAt, noted: event, key: key}
	if v := keptValue(t, f.regs[in.Reg]); !v.Unknown() {
		op.kind, op.value = mapFinds, v
		l.facts.note(m, op)
	}
	if !x.CommaOk {
		return
	}
	if bits, ok := f.regs[in.Reg+1].Bits(); ok {
		op.kind, op.value, op.present = mapPresence, goval.Value{}, bits&1 != 0
		l.facts.note(m, op)
	}
}

// makesMap notes a map that an instruction has made.
func (l *learner) makesMap(at goval.Value, event int64) {
	if m, ok := at.Bits(); ok && m >= 4096 && !l.stacks.contains(m) && l.lasts(m) {
		l.facts.note(m, mapOp{event: event, noted: event, kind: mapMade})
	}
}

// mapWritten notes a write to the memory of a map that is none of those of mapAccess. One of
// instrumented code that is not walked may be the first operation on the map that the walk sees. A
// window with one of outside code has no version of the map (flow.Surroundings).
func (l *learner) mapWritten(e *trace.Event, event int64) {
	switch {
	case e.Kind != format.Write || l.wrote == event:
	case e.Size == 8 && e.Flags&(format.FlagNoValue|format.FlagOpaque) == format.FlagNoValue:
		l.facts.note(uint64(e.Obj), mapOp{event: event, noted: event, kind: mapChanges})
	default:
		l.facts.changed(uint64(e.Obj), event)
	}
}
