package instrument

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/presage-race/presage/internal/source/plan"
)

// emitSelect writes a select statement that sets the index of the chosen case, -1 for
// default, and receives into the component of that case.
func (b *body) emitSelect(in *ssa.Select, ip *plan.Instr) {
	var heads []string
	r := 2
	for _, s := range in.States {
		if s.Dir == types.SendOnly {
			heads = append(heads, b.hidden(s.Chan)+" <- "+b.value(s.Send))
			continue
		}
		heads = append(heads, b.component(in, r)+", "+b.component(in, 1)+" = <-"+b.hidden(s.Chan))
		r++
	}
	b.before(ip)
	b.out.put("select {")
	for i, h := range heads {
		b.out.putf("case %s:", h)
		b.out.putf("%s = %d", b.component(in, 0), i)
	}
	if !in.Blocking {
		b.out.put("default:")
		b.out.putf("%s = -1", b.component(in, 0))
	}
	b.out.put("}")
	b.barrier()
	b.afterSelect(in, ip)
}

// slot returns the component of v in whose variable component i is: itself, but all values of one
// type that a select may receive share the first one's. Only one of them is there, and is read only
// in the block of its case. With a variable for each, all n would be merged behind each of n cases.
func (b *body) slot(v ssa.Value, i int) int {
	in, ok := v.(*ssa.Select)
	if !ok || i < 2 {
		return i
	}
	slots, ok := b.slots[in]
	if !ok {
		slots = received(in.Type().(*types.Tuple))
		b.slots[in] = slots
	}
	return slots[i]
}

// received returns the slots of the components of a select.
func received(t *types.Tuple) []int {
	slots, first := make([]int, t.Len()), typeutil.Map{}
	for i := range slots {
		slots[i] = i
		if i < 2 {
			continue
		}
		if j, ok := first.At(t.At(i).Type()).(int); ok {
			slots[i] = j
		} else {
			first.Set(t.At(i).Type(), i)
		}
	}
	return slots
}

// afterSelect writes the records of a select. What was received is recorded from its slot: one
// switch has all cases, those with the same record together.
func (b *body) afterSelect(in *ssa.Select, ip *plan.Instr) {
	cases := map[int][]string{}
	var hooks []plan.Hook
	for _, h := range ip.After {
		if h.Case < 0 {
			b.hook(&h, ip.Site)
			continue
		}
		s := b.slot(in, h.Index)
		if cases[s] == nil {
			hooks = append(hooks, h)
		}
		cases[s] = append(cases[s], strconv.Itoa(h.Case))
	}
	if len(hooks) == 0 || b.gates {
		return
	}
	b.barrier()
	b.out.putf("switch %s {", b.component(in, 0))
	for _, h := range hooks {
		b.out.putf("case %s:", strings.Join(cases[b.slot(in, h.Index)], ", "))
		b.hook(&h, ip.Site)
		b.barrier()
	}
	b.out.put("}")
}
