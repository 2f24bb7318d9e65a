package footprint

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Memory that a function makes (D7). Nobody has it at first. Later others may: the function gives it to what it calls, stores it, captures it; and when they have had time to change it, what the function
// finds there is theirs.

// fresh reports whether an address, or a slice, is of memory that the function itself has made, and that nobody else can have changed where at is executed (D7); or of a captured variable that is a value: it is no memory (D13).
func (k *Masker) fresh(m *Mask, v ssa.Value, at ssa.Instruction) bool {
	if k.isValue(v) {
		return true
	}
	if !made(v, map[*ssa.Phi]bool{}) {
		return false
	}
	how := k.shown(v, at)
	if f, ok := v.(*ssa.FieldAddr); ok && at == ssa.Instruction(f) { // it is used later
		how = k.shownPart(f, rootsOf(f, map[ssa.Value]bool{}))
	}
	if how == shownAway {
		m.everything("others may have what %v is in", v)
	}
	return how == notShown
}

func made(v ssa.Value, seen map[*ssa.Phi]bool) bool {
	for {
		switch x := base(v).(type) {
		case *ssa.Alloc, *ssa.MakeSlice:
			return true
		case *ssa.Const: // nil has no elements
			return x.IsNil()
		case *ssa.Call: // what it returns is what it is given, or new
			if !isAppend(x) {
				return false
			}
			v = x.Call.Args[0]
		case *ssa.Phi:
			if seen[x] {
				return true
			}
			seen[x] = true
			for _, e := range x.Edges {
				if !made(e, seen) {
					return false
				}
			}
			return true
		default:
			return false
		}
	}
}

func isAppend(x *ssa.Call) bool {
	b, ok := x.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "append"
}

// Whether others may have changed memory that the function has made.
const (
	notShown  = iota
	shown     // the recorder finds it, or has been told
	shownAway // it has gone through a channel, or an atomic operation, and traced code may have run since: no walk may come to it
)

// shown reports whether others may have changed what v is an address in, where at is executed.
func (k *Masker) shown(v ssa.Value, at ssa.Instruction) int {
	return k.shownAt(rootsOf(v, map[ssa.Value]bool{}), at)
}

// shownPart reports whether others may have changed memory where a part of it at v is used.
func (k *Masker) shownPart(v ssa.Value, roots []ssa.Value) (most int) {
	for _, r := range *v.Referrers() {
		most = max(most, k.shownAt(roots, r))
		if isPart(r) {
			most = max(most, k.shownPart(r.(ssa.Value), roots))
		}
	}
	return most
}

func (k *Masker) shownAt(roots []ssa.Value, at ssa.Instruction) (most int) {
	for _, root := range roots {
		if k.shows == nil {
			k.shows = map[ssa.Value]map[ssa.Instruction]int{}
		}
		after, ok := k.shows[root]
		if !ok {
			after = k.after(root)
			k.shows[root] = after
		}
		most = max(most, after[at])
	}
	return most
}

// rootsOf returns where the memory is made that v is an address in; what nobody else can have is left out.
func rootsOf(v ssa.Value, seen map[ssa.Value]bool) (list []ssa.Value) {
	if seen[v] {
		return nil
	}
	seen[v] = true
	switch x := v.(type) {
	case *ssa.Alloc:
		if x.Heap {
			return []ssa.Value{x}
		}
	case *ssa.MakeSlice:
		return []ssa.Value{x}
	case *ssa.FieldAddr:
		return rootsOf(x.X, seen)
	case *ssa.IndexAddr:
		return rootsOf(x.X, seen)
	case *ssa.Slice:
		return rootsOf(x.X, seen)
	case *ssa.Call: // the memory may be new
		return append(rootsOf(x.Call.Args[0], seen), x)
	case *ssa.Phi:
		for _, e := range x.Edges {
			list = append(list, rootsOf(e, seen)...)
		}
	}
	return list
}

// after finds the instructions at which others may have changed memory that is made at root.
func (k *Masker) after(root ssa.Value) map[ssa.Instruction]int {
	leaks := leaked{}
	leaksOf(root, leaks, map[ssa.Value]bool{})
	after := map[ssa.Instruction]int{}
	if len(leaks) == 0 {
		return after
	}
	// What has happened before an instruction: it has gone to others; away; since then others may have run; traced code too.
	const (
		given = 1 << iota
		away
		late
		called
	)
	entry, ever := map[*ssa.BasicBlock]int{}, 0
	visited := map[*ssa.BasicBlock]bool{}
	first := root.(ssa.Instruction).Block()
	list := []*ssa.BasicBlock{first}
	for recovered := first.Parent().Recover; len(list) > 0 || recovered != nil; {
		if len(list) == 0 { // whatever has panicked
			if ever != 0 {
				entry[recovered] |= ever | late | called
				list = append(list, recovered)
			}
			recovered = nil
			continue
		}
		b := list[len(list)-1]
		list = list[:len(list)-1]
		visited[b] = true
		state := entry[b]
		for _, in := range b.Instrs {
			switch {
			case state&(away|called) == away|called:
				after[in] = max(after[in], shownAway)
			case state&(given|late) == given|late:
				after[in] = max(after[in], shown)
			}
			if v, ok := in.(ssa.Value); ok && v == root {
				state = 0 // it is another
			}
			if gone, ok := leaks[in]; ok {
				state |= given
				if gone {
					state |= away
				}
			}
			ever |= state
			if state&given != 0 {
				if isLate, calls := k.lets(in); isLate {
					if state |= late; calls {
						state |= called
					}
				}
			}
		}
		for _, s := range b.Succs {
			if !visited[s] || entry[s]|state != entry[s] {
				entry[s] |= state
				list = append(list, s)
			}
		}
	}
	return after
}

// lets reports whether others may come to run at an instruction, and whether it calls traced code, perhaps.
func (k *Masker) lets(in ssa.Instruction) (late, calls bool) {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.ARROW, false
	case *ssa.Select:
		return true, false
	case *ssa.RunDefers:
		return true, true
	case *ssa.Call:
		if _, builtin := in.Call.Value.(*ssa.Builtin); builtin {
			return false, false
		}
		fn := in.Call.StaticCallee()
		return true, fn == nil || k.enters(&in.Call) || k.body(fn) != nil
	}
	return false, false
}

// leaked are the instructions by which others may get an address, and whether it goes away: through a channel, or an atomic operation.
type leaked map[ssa.Instruction]bool

func (l leaked) add(in ssa.Instruction, away bool) { l[in] = l[in] || away }

// leaksOf adds the instructions by which others may get an address in memory at v, and whether it goes through a channel or an atomic operation.
func leaksOf(v ssa.Value, leaks leaked, seen map[ssa.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.UnOp, *ssa.Return, *ssa.BinOp, *ssa.Convert:
		case *ssa.FieldAddr:
			leaksOf(r, leaks, seen)
		case *ssa.IndexAddr:
			leaksOf(r, leaks, seen)
		case *ssa.Slice:
			leaksOf(r, leaks, seen)
		case *ssa.Phi:
			leaksOf(r, leaks, seen)
		case *ssa.Store:
			if r.Val == v {
				leaks.add(r, false)
			}
		case *ssa.Send, *ssa.Select:
			leaks.add(r, true)
		case ssa.CallInstruction:
			leakOf(v, r, leaks, seen)
		default:
			leaks.add(r, false)
		}
	}
}

// leakOf is leaksOf for a call.
func leakOf(v ssa.Value, r ssa.CallInstruction, leaks leaked, seen map[ssa.Value]bool) {
	com := r.Common()
	if b, ok := com.Value.(*ssa.Builtin); ok {
		if call, ok := r.(*ssa.Call); ok && b.Name() == "append" && com.Args[0] == v {
			leaksOf(call, leaks, seen)
		}
		return
	}
	_, pkg := callee(com)
	if pkg != "sync" && pkg != "sync/atomic" {
		leaks.add(r, false)
		return
	}
	for i, a := range com.Args { // what synchronises is the first
		if a == v && i > 0 {
			leaks.add(r, true)
		}
	}
}
