package recorder_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/record/recorder/rawfile"
	"github.com/presage-race/presage/internal/trace/format"
)

// asking starts goroutines and lets them end while it asks how many there are, and prints the
// answers.
const asking = `package main

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 300 {
				wg.Add(1)
				go func() { wg.Done() }()
			}
		}()
	}
	var b strings.Builder
	for range 2000 {
		fmt.Fprintln(&b, runtime.NumGoroutine())
	}
	wg.Wait()
	fmt.Print(b.String())
}
`

// TestNumGoroutine: the number that NumGoroutine returns is that of the goroutines whose Go, and
// not whose End, has an earlier stamp.
func TestNumGoroutine(t *testing.T) {
	out, dir, err := run(t, build(t, []byte(asking)))
	if err != nil {
		t.Fatal(err)
	}
	var list []rawfile.Record
	for _, s := range read(t, dir).Streams {
		if s.GoID == 0 {
			continue // what the runtime starts for itself has no Go, but for main
		}
		for r := range s.Records() {
			if r.Kind == format.Go || r.Kind == format.End || r.Kind == format.Observe && r.Words[0] == uint64(format.StateGoroutines) {
				list = append(list, r)
			}
		}
	}
	slices.SortFunc(list, func(a, b rawfile.Record) int { return int(int64(a.Stamp - b.Stamp)) })
	got, n, most := []string{}, 1, 0
	for _, r := range list {
		switch r.Kind {
		case format.Go:
			n++
		case format.End:
			n--
		default:
			got = append(got, strconv.Itoa(n))
		}
		most = max(most, n)
	}
	want := strings.Fields(out)
	if len(got) != len(want) || len(want) != 2000 || most < 3 {
		t.Fatalf("%d observations of %d, up to %d goroutines", len(got), len(want), most)
	}
	wrong := 0
	for i := range want {
		if got[i] != want[i] {
			wrong++
			t.Logf("%d: NumGoroutine was %s, by the records %s", i, want[i], got[i])
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d numbers differ", wrong, len(want))
	}
}
