package instrument

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// emitSelect writes a select statement that sets the index of the chosen case, -1 for
// default, and receives into the component of that case.
func (b *body) emitSelect(in *ssa.Select, ip *plan.Instr) {
	var heads []string
	r := 2
	for _, s := range in.States {
		if s.Dir == types.SendOnly {
			heads = append(heads, b.expr.hidden(s.Chan)+" <- "+b.expr.value(s.Send))
			continue
		}
		heads = append(heads, b.regs.component(in, r)+", "+b.regs.component(in, 1)+" = <-"+b.expr.hidden(s.Chan))
		r++
	}
	b.rec.before(ip)
	b.out.put("select {")
	for i, h := range heads {
		b.out.putf("case %s:", h)
		b.out.putf("%s = %d", b.regs.component(in, 0), i)
	}
	if !in.Blocking {
		b.out.put("default:")
		b.out.putf("%s = -1", b.regs.component(in, 0))
	}
	b.out.put("}")
	b.rec.barrier()
	b.afterSelect(in, ip)
}

// afterSelect writes the records of a select. A received value is recorded from its slot. One
// switch has all cases, and cases with the same record share a clause.
func (b *body) afterSelect(in *ssa.Select, ip *plan.Instr) {
	cases := map[int][]string{}
	var hooks []plan.Hook
	for _, h := range ip.After {
		if h.Case < 0 {
			b.rec.hook(&h, ip.Site)
			continue
		}
		s := b.regs.slot(in, h.Index)
		if cases[s] == nil {
			hooks = append(hooks, h)
		}
		cases[s] = append(cases[s], strconv.Itoa(h.Case))
	}
	if len(hooks) == 0 || b.unit.gates {
		return
	}
	b.rec.barrier()
	b.out.putf("switch %s {", b.regs.component(in, 0))
	for _, h := range hooks {
		b.out.putf("case %s:", strings.Join(cases[b.regs.slot(in, h.Index)], ", "))
		b.rec.hook(&h, ip.Site)
		b.rec.barrier()
	}
	b.out.put("}")
}
