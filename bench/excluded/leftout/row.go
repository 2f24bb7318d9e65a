package leftout

import (
	"encoding/json"
	"fmt"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/predict/excluded"
)

// The detectors, beside the modes of package excluded.
const (
	rdit      = int(excluded.Reachable)
	hb        = 3
	weakly    = 4
	asWritten = 5
	engines   = 6
)

var detectors = [engines]string{
	rdit: "RDIT", excluded.Everything: "barrier", excluded.Ignore: "MC", hb: "HB", weakly: "WCP", asWritten: "written",
}

// columns is the order in which detectors are printed.
var columns = [engines]int{hb, weakly, int(excluded.Ignore), asWritten, int(excluded.Everything), rdit}

// tally is what a detector has found (rule 3).
type tally struct {
	left  int // true, with both accesses left
	more  int // true, with an access in an excluded call
	wrong int
}

func (t tally) String() string {
	if t.more == 0 {
		return fmt.Sprintf("%d (%d)", t.left, t.wrong)
	}
	return fmt.Sprintf("%d+%d (%d)", t.left, t.more, t.wrong)
}

// row is a line of the table.
type row struct {
	events, calls, gone, escaped int
	races, left                  int
	// of those left: both accesses are always between the ends of excluded calls
	between int
	found   [engines]tally
	// the true ones that RDIT does not find, by what keeps them apart
	missed map[string]int
	// of -list: those of both accesses left, by how that keeps them apart
	mechanisms map[string]int
}

func (r *row) add(x *row) {
	r.events, r.calls, r.gone, r.escaped, r.races, r.left = r.events+x.events, r.calls+x.calls, r.gone+x.gone, r.escaped+x.escaped, r.races+x.races, r.left+x.left
	r.between += x.between
	for i := range r.found {
		r.found[i].left += x.found[i].left
		r.found[i].more += x.found[i].more
		r.found[i].wrong += x.found[i].wrong
	}
	r.missed, r.mechanisms = plus(r.missed, x.missed), plus(r.mechanisms, x.mechanisms)
}

// plus adds some counts to others.
func plus(to, from map[string]int) map[string]int {
	for why, n := range from {
		if to == nil {
			to = map[string]int{}
		}
		to[why] += n
	}
	return to
}

func printHead() {
	fmt.Printf("%-50s %-16s %8s %6s %6s %7s | %5s %5s |", "package", "seen", "events", "calls", "gone %", "escaped", "true", "left")
	for _, d := range columns {
		fmt.Printf(" %13s", detectors[d])
	}
	fmt.Println()
}

func (r *row) print(name string, s variant) {
	fmt.Printf("%-50s %-16s %8d %6d %6.1f %7d | %5d %5d |", name, s, r.events, r.calls, 100*float64(r.gone)/float64(max(1, r.events)), r.escaped, r.races, r.left)
	for _, d := range columns {
		fmt.Printf(" %13s", r.found[d])
	}
	fmt.Println()
}

// printTotal prints the sum of all, and returns how many of RDIT's races are false.
func (b *bench) printTotal(name string) (wrong int) {
	for _, s := range b.variants {
		if t := b.total[s]; t != nil {
			t.print(name, s)
			t.printMechanisms(s)
			wrong += t.found[rdit].wrong
		}
	}
	return wrong
}

// figures prints the sums of the variants.
func (b *bench) figures(f *command.Figures) {
	for _, s := range b.variants {
		if t := b.total[s]; t != nil {
			r := t.found[rdit]
			name := "seen=" + string(s.seen)
			if s.exact {
				name += "/D=exact"
			}
			f.Print(name, command.Count(t.calls, "calls"), command.Count(t.races, "races"), command.Count(t.left, "left"), command.Count(r.left, "found"), command.Count(r.wrong, "false"))
		}
	}
}

// saved is a row as -o writes it.
type saved struct {
	Events, Calls, Gone, Escaped, Races, Left, Between int
	Found                                              [][]int // by detector: left, more, wrong
	Missed, Mechanisms                                 map[string]int
}

func (r row) MarshalJSON() ([]byte, error) {
	s := saved{r.events, r.calls, r.gone, r.escaped, r.races, r.left, r.between, nil, r.missed, r.mechanisms}
	for _, f := range r.found {
		s.Found = append(s.Found, []int{f.left, f.more, f.wrong})
	}
	return json.Marshal(s)
}

func (r *row) UnmarshalJSON(data []byte) error {
	var s saved
	err := json.Unmarshal(data, &s)
	*r = row{events: s.Events, calls: s.Calls, gone: s.Gone, escaped: s.Escaped, races: s.Races, left: s.Left, between: s.Between, missed: s.Missed, mechanisms: s.Mechanisms}
	for i, f := range s.Found {
		if len(f) != 3 || len(s.Found) != engines {
			return fmt.Errorf("counts of %d detectors, %d of each: it was written by another version of this command", len(s.Found), len(f))
		}
		r.found[i] = tally{f[0], f[1], f[2]}
	}
	return err
}
