package points

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"presage/internal/relay/place"
	"presage/internal/relay/summary"
)

// position is where an instruction stands.
type position struct {
	file         string
	line, column int
}

// operand is an address that an instruction reads or writes at; node −1 is not known.
type operand struct {
	node int32
	key  string
}

// ref is what the accesses at one place are to.
type ref struct {
	fn    string
	place int32
	at    []operand
}

func standing(fset *token.FileSet, in ssa.Instruction) position {
	p := fset.Position(place.Of(in))
	return position{p.Filename, p.Line, p.Column}
}

// operands notes the memory that an instruction accesses (A1).
func (b *builder) operands(p position, in ssa.Instruction, at map[position][]operand) {
	add := func(v ssa.Value) { at[p] = append(at[p], operand{b.value(v), b.pointee(v.Type())}) }
	switch v := in.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL || v.Op == token.ARROW {
			add(v.X)
		}
	case *ssa.Store:
		add(v.Addr)
	case *ssa.MapUpdate:
		add(v.Map)
	case *ssa.Lookup:
		if _, ok := v.X.Type().Underlying().(*types.Map); ok {
			add(v.X)
		}
	case *ssa.Next:
		if r, ok := v.Iter.(*ssa.Range); ok && !v.IsString {
			add(r.X)
		}
	case *ssa.Send:
		add(v.Chan)
	case *ssa.Convert:
		if tracked(v.X.Type()) {
			add(v.X)
		}
	case ssa.CallInstruction:
		if bi, ok := v.Common().Value.(*ssa.Builtin); ok && (bi.Name() == "append" || bi.Name() == "copy" || bi.Name() == "delete" || bi.Name() == "clear") {
			for _, x := range v.Common().Args {
				if tracked(x.Type()) {
					add(x)
				}
			}
			return
		}
		at[p] = append(at[p], operand{node: -1})
	case *ssa.Select:
		at[p] = append(at[p], operand{node: -1})
	}
}

// refs finds what the accesses of a summary are to (A1).
func (b *builder) refs(fn *ssa.Function, s *summary.Function, at map[position][]operand) []ref {
	used := map[int32]bool{}
	for _, a := range s.Accesses {
		if a.Via == nil && a.Thread == 0 && a.Pos.Func == s.Key {
			used[a.Pos.Place] = true
		}
	}
	var out []ref
	for i, l := range s.Places {
		if !used[int32(i)] {
			continue
		}
		ops := at[position{s.Files[l.File], int(l.Line), int(l.Column)}]
		if len(ops) > 0 && !slices.ContainsFunc(ops, func(o operand) bool { return o.node < 0 }) {
			out = append(out, ref{s.Key, int32(i), ops})
		}
	}
	return out
}
