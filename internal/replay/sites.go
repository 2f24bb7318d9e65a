package replay

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Sites says what stands at the sites of a program that ask for something which is not in the order
// of a trace, and what is accessed.
type Sites map[trace.Site]*Site

// Site is what stands at one site.
type Site struct {
	Select string `json:"select,omitempty"` // of a select: s or r for each case
	Block  bool   `json:"block,omitempty"`  // it has no default
	// of a call: which of the values that it records are fed
	Fed  []bool `json:"fed,omitempty"`
	Asks string `json:"asks,omitempty"` // what it asks for that is not fed
	Name string `json:"name,omitempty"` // of what it calls
	Type string `json:"type,omitempty"` // of a load or store: how to print what is there
}

// How to print what is at an address: by the first letter.
const (
	signedType   = "i"
	unsignedType = "u"
	floatType    = "f"
	boolType     = "b"
	stringType   = "s"
	wordsType    = "p" // pointers, and whatever else
)

// sitesOf goes over the instructions of a plan.
func sitesOf(p *plan.Plan) Sites {
	out := Sites{}
	for _, u := range p.Units {
		if u.Opaque != "" {
			continue
		}
		for _, f := range u.Funcs {
			for _, b := range f.SSA.Blocks {
				if b == f.SSA.Recover {
					continue
				}
				for j, in := range b.Instrs {
					ip := &f.Blocks[b.Index].Instrs[j]
					if s := siteOf(in, ip); s != nil && ip.Site != 0 {
						out[ip.Site] = s
					}
				}
			}
		}
	}
	return out
}

// fedTo returns the sites for a schedule. One that is only tried is fed no numbers: those of a Time
// may be of a file, which the program may find otherwise under it.
func (s Sites) fedTo(w *Witness) Sites {
	if !w.Tried {
		return s
	}
	out := Sites{}
	for k, what := range s {
		if !what.feeds() {
			out[k] = what
		}
	}
	return out
}

// siteOf is what stands at the site of an instruction, nil if that is nothing of interest.
func siteOf(in ssa.Instruction, ip *plan.Instr) *Site {
	switch in := in.(type) {
	case *ssa.Select:
		s := &Site{Block: in.Blocking}
		for _, st := range in.States {
			s.Select += map[bool]string{true: "s", false: "r"}[st.Dir == types.SendOnly]
		}
		return s
	case *ssa.Call:
		return callSite(in, ip)
	case *ssa.Next:
		if m, ok := plan.Core(in.Iter.(*ssa.Range).X.Type()).(*types.Map); ok && plan.Pointed(m.Key()) {
			return &Site{Asks: "the order of a map", Name: "range over a map with keys of type " + m.Key().String()}
		}
	case *ssa.UnOp, *ssa.Store:
		for i := range ip.After {
			if h := &ip.After[i]; h.Kind.IsAccess() && h.Extent == plan.Pointee && h.Size > 0 {
				return &Site{Type: typeOf(h.Type)}
			}
		}
	}
	return nil
}

func callSite(in *ssa.Call, ip *plan.Instr) *Site {
	if plan.Fed(&in.Call) {
		s := &Site{}
		for i := range ip.After {
			if h := &ip.After[i]; h.Kind == format.Value {
				s.Fed = append(s.Fed, plan.FedHook(h))
			}
		}
		return s
	}
	if what, name := plan.Asks(&in.Call); what != "" {
		return &Site{Asks: what, Name: name}
	}
	return nil
}

func typeOf(t types.Type) string {
	b, ok := t.Underlying().(*types.Basic)
	if _, param := types.Unalias(t).(*types.TypeParam); param || !ok {
		return wordsType
	}
	switch info := b.Info(); {
	case info&types.IsString != 0:
		return stringType
	case info&types.IsBoolean != 0:
		return boolType
	case info&types.IsUnsigned != 0 && b.Kind() != types.Uintptr:
		return unsignedType
	case info&types.IsInteger != 0 && b.Kind() != types.Uintptr:
		return signedType
	case info&types.IsFloat != 0:
		return floatType
	}
	return wordsType
}

// feeds reports whether a call is fed.
func (s *Site) feeds() bool { return len(s.Fed) > 0 }

// position is the number of a case of a select among those of the runtime: sends from the front,
// receives from the back.
func (s *Site) position(k int) int {
	sends, receives := 0, 0
	for i := range k {
		if s.Select[i] == 's' {
			sends++
		} else {
			receives++
		}
	}
	if s.Select[k] == 's' {
		return sends
	}
	return len(s.Select) - 1 - receives
}
