package report

import (
	"testing"

	"github.com/presage-race/presage/internal/trace/format"
)

// TestOperations: each verb that a step may begin with has its kind of operation.
func TestOperations(t *testing.T) {
	for k := range format.Kind(255) {
		var texts []string
		switch {
		case k.IsAccess():
			texts = []string{accessVerb(k)}
		case isSync(k), k == format.Acquire, k == format.Release, k == format.ReleaseMerge:
			for i := range 8 {
				texts = append(texts, syncVerb(k, i&1 > 0, i&2 > 0, i&4 > 0, int64(i&1)-1))
			}
		case k == format.MethodBegin, k == format.MethodEnd:
			texts = []string{missingVerb(k)}
		}
		if texts != nil && Does(k) == k.String() {
			t.Errorf("%s has no words of its own", k)
		}
		for _, text := range texts {
			if operation(text+" x") == "" || operation(text) == "" {
				t.Errorf("%s: %q is no operation", k, text)
			}
		}
	}
	for text, want := range map[string]string{
		"tries and read-locks mu": "rlock", "read-unlocks mu": "runlock", "starts goroutine 2": "go", "starts": "start",
		"reads x": "read", "atomically updates x": "atomic update", "ends the call of p": "call", "ends": "end", "dances": "",
	} {
		if got := operation(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
