package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"presage/internal/analyse"
	"presage/internal/instrument"
	"presage/internal/plan"
	"presage/internal/trace"
)

// What -list prints.

// listEscaped prints what dropped events touch that the recorder had not found.
func (h *hidden) listEscaped(p *plan.Plan) {
	for _, k := range slices.SortedFunc(maps.Keys(h.lost), func(x, y loss) int { return cmp.Or(cmp.Compare(x.method, y.method), cmp.Compare(x.site, y.site)) }) {
		fmt.Printf("escaped: %6d %s at %s, from %s, mask %s\n", h.lost[k], k.kind, h.all.meta.Position(k.site), p.Funcs[k.method-instrument.Around].Name, h.maskOf(p, k.method))
	}
}

// listMissed prints the true races that were not found, though both accesses are left: how many each missing method keeps apart.
func (h *hidden) listMissed(res *analyse.Result, really map[sites]bool, p *plan.Plan) {
	found, kept := map[sites]bool{}, map[sites]trace.Addr{}
	for i := range res.Races {
		found[sitesOf(res.Races[i].A.Site, res.Races[i].B.Site)] = true
	}
	for _, k := range res.Kept {
		kept[sitesOf(k.A, k.B)] = k.Method
	}
	by := map[string][]sites{}
	for q := range really {
		if !h.left[q[0]] || !h.left[q[1]] || found[q] {
			continue
		}
		method, ok := kept[q]
		name := "what no missing method keeps alone"
		switch {
		case ok && method >= instrument.Around:
			f := &p.Funcs[method-instrument.Around]
			name = fmt.Sprintf("%s, mask %s", f.Name, h.maskOf(p, method))
		case ok:
			name = "several"
		}
		by[name] = append(by[name], q)
	}
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(by[b]), len(by[a])), strings.Compare(a, b))
	})
	for _, name := range names {
		fmt.Printf("not found: %d kept apart by %s\n", len(by[name]), name)
		slices.SortFunc(by[name], func(x, y sites) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
		for _, q := range by[name] {
			fmt.Printf("\t%s and %s\n", h.all.meta.Position(q[0]), h.all.meta.Position(q[1]))
		}
	}
}

// maskOf says what the mask of a function is.
func (h *hidden) maskOf(p *plan.Plan, method trace.Addr) string {
	f := p.ByID(trace.FuncID(method - instrument.Around))
	if f == nil {
		return "?"
	}
	m := p.MaskAround(f)
	if m.Why != "" {
		return "everything: " + m.Why
	}
	return strings.ReplaceAll(strings.TrimSpace(m.Text()), "\n", " ")
}
