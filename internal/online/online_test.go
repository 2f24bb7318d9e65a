package online

import (
	"strings"
	"testing"
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
			if race := sites.Race(&r.Found[i]); r.Found[i].String() == "" || race.Name() == "" {
				t.Error("a race that cannot be said")
			}
		}
	})
}
