package leftout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// What -list prints.

// listEscaped prints what dropped events touch that the recorder had not found.
func (h *hidden) listEscaped(p *plan.Plan) {
	for _, k := range slices.SortedFunc(maps.Keys(h.lost), func(x, y loss) int { return cmp.Or(cmp.Compare(x.method, y.method), cmp.Compare(x.site, y.site)) }) {
		fmt.Printf("escaped: %6d %s at %s, from %s\n", h.lost[k], k.kind, h.all.meta.Position(k.site), p.Funcs[k.method-instrument.Around].Name)
	}
}

// missed is true races that were not found, though both accesses are left, and what keeps them
// apart.
type missed struct {
	cause string
	name  string // of the method
	sites []sites
}

// missed lists them: how many each excluded call keeps apart.
func (h *hidden) missed(res *predict.Result, really map[sites]bool, p *plan.Plan) (list []*missed) {
	found, kept := map[sites]bool{}, map[sites]trace.Addr{}
	for i := range res.Races {
		found[sitesOf(res.Races[i].A.Site, res.Races[i].B.Site)] = true
	}
	for _, k := range res.Kept {
		kept[sitesOf(k.A, k.B)] = k.Method
	}
	by := map[string]*missed{}
	for q := range really {
		if !h.left[q[0]] || !h.left[q[1]] || found[q] {
			continue
		}
		method, ok := kept[q]
		x := missed{cause: "nothing alone keeps them apart", name: "what no excluded call keeps alone"}
		switch {
		case ok && method >= instrument.Around:
			x.cause, x.name = "one method", h.methodName(p, method)
		case ok:
			x.cause, x.name = "several methods together", "several"
		}
		if by[x.name] == nil {
			by[x.name] = &x
			list = append(list, &x)
		}
		by[x.name].sites = append(by[x.name].sites, q)
	}
	slices.SortFunc(list, func(a, b *missed) int {
		return cmp.Or(cmp.Compare(len(b.sites), len(a.sites)), strings.Compare(a.name, b.name))
	})
	return list
}

func causes(list []*missed) map[string]int {
	by := map[string]int{}
	for _, x := range list {
		by[x.cause] += len(x.sites)
	}
	return by
}

// asked says of which pairs of positions it is to be explained why they do not race.
func asked(pairs map[sites]bool) func(a, b trace.Site) bool {
	any := map[trace.Site]bool{}
	for q := range pairs {
		any[q[0]], any[q[1]] = true, true
	}
	return func(a, b trace.Site) bool { return b == 0 && any[a] || pairs[sitesOf(a, b)] }
}

var reasons = [...]string{"raced", "a common lock", "a chain without excluded calls", "a chain with excluded calls", "orders of excluded calls together", "values", "operations", "the budget", "untried"}

// printWhy prints why a pair does not race, in the window in which it is nearest to it.
func (h *hidden) printWhy(q sites, res *predict.Result, p *plan.Plan) {
	for _, x := range res.Explained {
		if sitesOf(x.A.Site, x.B.Site) != q {
			continue
		}
		fmt.Printf("		%s (%d of %s, %d of %s)\n", reasons[x.Reason], x.A.Index, h.all.meta.GoName(x.A.G), x.B.Index, h.all.meta.GoName(x.B.G))
		for n, l := range x.Chain {
			if n == 8 {
				fmt.Printf("\t\t… %d more\n", len(x.Chain)-n)
				break
			}
			e, f := &h.rest.events[l.From], &h.rest.events[l.To]
			fmt.Printf("		%s %s at %s, then %s %s at %s", h.all.meta.GoName(e.G), e.Kind, h.all.meta.Position(e.Site), h.all.meta.GoName(f.G), f.Kind, h.all.meta.Position(f.Site))
			for _, c := range l.Calls {
				if i := c.Begin; i >= 0 {
					fmt.Printf(", by %s", h.methodName(p, h.rest.events[i].Obj))
				}
			}
			if l.By == predict.MissingMethod {
				fmt.Printf(", at %#x", l.Part)
			}
			fmt.Println()
		}
	}
}

// mechanisms counts the pairs that were not found by what keeps them apart, in the window in which
// they are nearest to a race.
func mechanisms(list []*missed, res *predict.Result) map[string]int {
	by, count := map[sites]string{}, map[string]int{}
	for i := range res.Explained {
		x := &res.Explained[i]
		by[sitesOf(x.A.Site, x.B.Site)] = mechanism(x)
	}
	for _, x := range list {
		for _, q := range x.sites {
			if by[q] == "" {
				count["never in one window"]++
			} else {
				count[by[q]]++
			}
		}
	}
	return count
}

// mechanism names what keeps a pair apart. Of a chain with excluded calls it says what each of its
// orders rests on.
func mechanism(x *predict.Explanation) string {
	if x.Reason != predict.Missing {
		return reasons[x.Reason]
	}
	var rests []string
	for _, l := range x.Chain {
		if l.By == predict.MissingMethod {
			rests = append(rests, restsOn(&l))
		}
	}
	slices.Sort(rests)
	return strings.Join(slices.Compact(rests), " and ")
}

// restsOn says what an order of excluded calls rests on.
func restsOn(l *predict.Link) string {
	switch {
	case l.Lives != 0:
		return "a goroutine in a D"
	case slices.ContainsFunc(l.Calls, func(c model.ExcludedCall) bool { return c.All }):
		return "a D that is everything"
	case l.Part == [2]uint64{}:
		return "a call, by what is not known"
	case len(l.Calls) == 2:
		return "two Ds that meet"
	}
	return "an access in a D"
}

// printMechanisms prints what keeps apart what RDIT does not find.
func (r *row) printMechanisms(s variant) {
	if len(r.mechanisms) > 0 {
		fmt.Printf("%-16s of %d left, both accesses are between the ends of excluded calls: %d\n", s, r.left, r.between)
	}
	for _, why := range slices.SortedFunc(maps.Keys(r.mechanisms), func(x, y string) int {
		return cmp.Or(cmp.Compare(r.mechanisms[y], r.mechanisms[x]), strings.Compare(x, y))
	}) {
		fmt.Printf("%-16s not found by RDIT: %5d %s\n", s, r.mechanisms[why], why)
	}
}

// printMissed prints the races that were not found, after how often windows left out events because
// the writer of a read value is unknown.
func (h *hidden) printMissed(list []*missed, res *predict.Result, p *plan.Plan) {
	if n := res.Counts.Build.Uncertain; n > 0 {
		fmt.Printf("left out of a window: %d times the rest of a goroutine, because the writer of a value that it read is not recorded (package window)\n", n)
	}
	for _, x := range list {
		fmt.Printf("not found: %d kept apart by %s\n", len(x.sites), x.name)
		slices.SortFunc(x.sites, func(x, y sites) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
		for _, q := range x.sites {
			fmt.Printf("\t%s and %s\n", h.all.meta.Position(q[0]), h.all.meta.Position(q[1]))
			h.printWhy(q, res, p)
		}
	}
}

// printAll prints which excluded calls reach everything, and how many of their calls.
func (h *hidden) printAll(p *plan.Plan) {
	calls, all := map[trace.Addr]int{}, map[trace.Addr]int{}
	for _, it := range h.items {
		if it.begin {
			calls[it.call.begin.Obj]++
			if it.call.recorded.All {
				all[it.call.begin.Obj]++
			}
		}
	}
	for _, m := range slices.SortedFunc(maps.Keys(all), func(x, y trace.Addr) int { return cmp.Or(cmp.Compare(all[y], all[x]), cmp.Compare(x, y)) }) {
		fmt.Printf("everything: %d of %d calls of %s\n", all[m], calls[m], h.methodName(p, m))
	}
}
