package leftout

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/record"
)

// told has methods that are missing and touch what traced code has returned to them alone: of
// functions that are missing as well, with deferred calls and without, and of others, before which
// one such was called.
const told = `package told

import (
	"sync"
	"testing"
)

var a, b, c, d struct{ n int }

type value interface{ add() }

type counter struct{ p *int }

func (x counter) add() { *x.p++ }

type locked struct {
	mu sync.Mutex
	n  int
}

func (l *locked) deferred() *int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &a.n
}

func (l *locked) plain() *int {
	l.mu.Lock()
	l.mu.Unlock()
	return &b.n
}

func (l *locked) nothing() {
	l.mu.Lock()
	l.n++
	l.mu.Unlock()
}

func (l *locked) later() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
}

func another() *int { return &c.n }

func (l *locked) value() value {
	l.mu.Lock()
	defer l.mu.Unlock()
	return counter{&d.n}
}

type user struct {
	mu   sync.Mutex
	l    locked
	last value
}

func (u *user) uses() {
	u.mu.Lock()
	defer u.mu.Unlock()
	*u.l.deferred() = 1
	*u.l.plain() = 1
	u.l.nothing()
	*another() = 1
	u.l.later()
	*another() = 2
	u.last = u.l.value()
	u.last.add()
}

func TestUses(t *testing.T) {
	u := &user{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(u.uses)
	}
	wg.Wait()
}
`

// What traced code returns to an excluded call its D has from there on, if that code is missing as
// well too.
func TestToldJoinsD(t *testing.T) {
	if x := leftOut(t, "told", told); x.calls < 24 || x.escaped > 0 {
		t.Errorf("%d excluded calls, want at least 24; %d times one touches what its D has not", x.calls, x.escaped)
	}
}

// leftOut measures a test of one file, the package of that name.
func leftOut(t *testing.T, name, text string) *row {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module " + name + "\n\ngo 1.26\n", name + "_test.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	v := variant{synchronisation, false}
	b := bench{session: &session.Session{Dir: t.TempDir()}, limit: 100_000, list: true, variants: []variant{v}, total: map[variant]*row{}}
	c := record.Config{Test: true, Flags: []string{"-C=" + dir, "-vet=off", "-count=1"}, Dir: dir, Packages: []string{"."}}
	if err := b.record(context.Background(), name, c); err != nil {
		t.Fatal(err)
	}
	return b.total[v]
}
