package online

import (
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/report"
)

// FuzzRead: any bytes are what a process may have left, cut or not: races that can be said.
func FuzzRead(f *testing.F) {
	f.Add("begin\t7\nrace\twrite\tread\t0xc000\t1\t2\nat\tmain.f\t3\ta.go\nold\tmain.g\t4\ta.go\nfrom\t1\t2\nend\ncount\tAtomic\t3\nblind\tIntoC\t1\nexit\n")
	f.Add("race\twrite\nend\nat\t\t\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		var r Result
		if r.read(strings.NewReader(text), "1.races", map[string]string{}) != nil {
			return
		}
		sites := NewSites(nil)
		for i := range r.Found {
			var set report.Set
			sites.AddTo(&set, &r.Found[i])
			if r.Found[i].String() == "" || len(set.Races())+len(set.Candidates()) != 1 {
				t.Error("neither a race nor a candidate")
			}
			for _, race := range set.Races() {
				if race.Name() == "" {
					t.Error("a race without a name")
				}
			}
			for _, c := range set.Candidates() {
				if c.Name() == "" {
					t.Error("a candidate without a name")
				}
			}
		}
	})
}
