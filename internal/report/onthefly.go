package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// OnTheFly has the figures of a detector of one pass (presage analyze -engine, presage test
// -online).
type OnTheFly struct {
	Engine     string  `json:"engine"`              // fasttrack, lockset or hybrid
	Filter     string  `json:"filter"`              // tree or none
	Candidates int     `json:"candidates"`          // pairs of positions reported without a proof
	Counts     []Count `json:"counts"`              // what filter and engine did, by rule
	Processes  int     `json:"processes,omitempty"` // with the detector inside, in place of a trace
	Accesses   int64   `json:"accesses,omitempty"`  // that they looked at
}

// Count is one figure.
type Count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Add adds the figures of another trace, by name.
func (o *OnTheFly) Add(name string, n int64) {
	for i := range o.Counts {
		if o.Counts[i].Name == name {
			o.Counts[i].Count += n
			return
		}
	}
	o.Counts = append(o.Counts, Count{name, n})
}

// Candidate prints a candidate: its accesses, and their order in the recorded run.
func (h *textHandler) Candidate(c *Candidate) error {
	c = visible.Copy(c)
	h.title("CANDIDATE", c.Name(), c.ID, c.Count)
	h.access(&c.A)
	h.access(&c.B)
	if c.Hidden.Ordered {
		h.printf("\n  In the recorded run, these steps order the two accesses:\n")
		for _, e := range c.Hidden.Edges {
			h.edge(e)
		}
	} else {
		h.printf("\n  No synchronisation in the trace orders the two accesses.\n")
	}
	h.printf("  There is no witness, so it need not be a race (presage analyze without -engine looks for one).\n\n")
	return h.err
}

// onTheFly prints the figures, and the last line.
func (h *textHandler) onTheFly(m *Summary) {
	o := m.OnTheFly
	var tree, engine []string
	for _, c := range o.Counts {
		if name, is := strings.CutPrefix(c.Name, "Tree"); is {
			tree = append(tree, fmt.Sprintf("%s %d", name, c.Count))
		} else {
			engine = append(engine, fmt.Sprintf("%s %d", c.Name, c.Count))
		}
	}
	if len(tree) > 0 {
		h.printf("tree: %s\n", strings.Join(tree, ", "))
	}
	h.printf("%s: %s\n", o.Engine, strings.Join(engine, ", "))
	but := ""
	found := fmt.Sprintf("%s, %s", plural.Of(m.Races, "race"), plural.Of(o.Candidates, "candidate"))
	h.suppressions(m.Suppressed)
	switch n := m.Suppressed.Count(); {
	case m.Races+o.Candidates == 0 && n > 0:
		found, but = "nothing found besides "+plural.Of(n, "suppressed pair"), m.Coverage.some()
	case m.Races+o.Candidates == 0:
		found = cmp.Or(m.Coverage.none("findings", ""), "nothing found")
	default:
		but = m.Coverage.some()
	}
	h.unsearched(m)
	seen := plural.Of(int(m.Events), "event") + ", " + plural.Of(m.Goroutines, "goroutine")
	if m.Events == 0 && o.Processes > 0 {
		seen = plural.Of(o.Accesses, "access") + " in " + pick(o.Processes == 1, "one process", plural.Of(o.Processes, "process"))
	}
	h.printf("presage: %s; %s, analysed in %.1fs%s\n", found, seen, m.Seconds, but)
}
