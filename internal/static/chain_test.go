package static_test

import (
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/static/tier"
)

// The calls that are shown are those on which the locks are held that are shown, though others are
// fewer.
func TestChain(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module m\n\ngo 1.25\n")
	write(t, dir, "a.go", `package m

import "sync"

type T struct {
	mu sync.Mutex
	n  int
}

func (t *T) Start() { go t.loop() }

func (t *T) loop() {
	for {
		t.locked()
		t.plain()
	}
}

func (t *T) locked() {
	t.mu.Lock()
	t.set()
	t.mu.Unlock()
}

func (t *T) plain()  { t.middle() }
func (t *T) middle() { t.set() }
func (t *T) set()    { t.n++ }

func (t *T) Get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}
`)
	res := analyse(t, dir, "")
	found := 0
	for _, w := range res.Pairs {
		if w.Tier != tier.Likely {
			continue
		}
		for _, s := range res.Sides(w) {
			if !strings.HasSuffix(s.Func, "set") {
				continue
			}
			found++
			var calls []string
			for _, f := range s.Stack {
				calls = append(calls, f.Func[strings.LastIndexByte(f.Func, '.')+1:])
			}
			if got := strings.Join(calls, " "); got != "set middle plain loop" || len(s.Locks) > 0 {
				t.Errorf("the calls to set are %q with locks %v, want no lock and those of plain", got, s.Locks)
			}
		}
	}
	if found == 0 {
		t.Error("no warning has set")
	}
}
