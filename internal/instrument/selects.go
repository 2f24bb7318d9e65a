package instrument

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"presage/internal/plan"
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
	b.after(ip)
}
