package mutants

import "github.com/presage-race/presage/internal/report"

// predicted reduces the races of a report to what the comparison needs.
func predicted(list []*report.Race, p places) []race {
	var all []race
	for _, r := range list {
		all = append(all, race{
			A: p.reported(&r.A), B: p.reported(&r.B),
			Tier: string(r.Tier), Observed: r.Proof() == report.Observed, Object: r.Object, ID: r.ID,
		})
	}
	return all
}

func (p places) reported(a *report.Access) access {
	stack := []frame{{a.Func, a.File, a.Line}}
	for _, f := range a.Stack {
		stack = append(stack, frame{f.Func, f.File, f.Line})
	}
	return p.access(a.Kind, stack)
}
