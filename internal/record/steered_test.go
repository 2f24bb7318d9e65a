package record

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/record/steer"
)

// Each of two goroutines takes a lock twice. The order is in the output of the test, and two orders
// have a goroutine that is preempted.
const steeredProgram = `package steered

import (
	"sync"
	"testing"
)

func TestOrder(t *testing.T) {
	var mu sync.Mutex
	order := ""
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 2 {
				mu.Lock()
				order += name
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	t.Log("order", order)
}
`

// TestBases: a run under a base scheduler is a function of the seed, and each base scheduler has
// either goroutine first.
func TestBases(t *testing.T) {
	if testing.Short() {
		t.Skip("records a program")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/steered\n\ngo 1.25\n", "steered_test.go": steeredProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Steer(context.Background(), Config{Test: true, Dir: dir, Flags: []string{"-C=" + dir, "-v"}, Packages: []string{"."}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(s.Run.Dir)
	defer s.Close()
	for kind := steer.Random; kind <= steer.SURW; kind++ {
		orders, hashes := map[string]int{}, map[uint64]bool{}
		const seeds = 16
		for seed := range uint64(seeds) {
			base := steer.Base{Kind: kind, Seed: seed, Depth: 3, Steps: 20}
			order, hash := orderOf(t, s, base)
			if again, hashAgain := orderOf(t, s, base); again != order || hashAgain != hash {
				t.Errorf("%v, seed %d: %s (%#x) and %s (%#x)", kind, seed, order, hash, again, hashAgain)
			}
			orders[order]++
			hashes[hash] = true
		}
		first := map[byte]int{}
		for order, n := range orders {
			first[order[0]] += n
		}
		if first['a'] == 0 || first['b'] == 0 || len(orders) < 3 || len(hashes) < 3 {
			t.Errorf("%v: %v, %d choices of goroutines in %d runs", kind, orders, len(hashes), seeds)
		}
	}
}

// orderOf runs the program once, and returns its order and that of the choices.
func orderOf(t *testing.T, s *Steered, base steer.Base) (order string, hash uint64) {
	t.Helper()
	r, err := s.Record(context.Background(), &steer.Schedule{Seed: 1, Base: base}, time.Minute, "TestOrder")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(r.Output), "order ")
	if order, _, _ = strings.Cut(rest, "\n"); !ok || len(order) != 4 || r.ExitCode != 0 {
		t.Fatalf("%v: %s", base.Kind, r.Output)
	}
	return order, r.Hash
}
