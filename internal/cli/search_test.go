package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestSideBySide: the report is the same, byte for byte, however many searches run at once; also
// where one of the traces is damaged, and where there is no memory for a second search.
func TestSideBySide(t *testing.T) {
	files := writeTraces(t, t.TempDir())
	analysed := func(workers int, m *memory) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		a := testAnalysis(files)
		a.memory = m
		a.searches().run(t.Context())
		return sent(t, a) + fmt.Sprint(a.found.unread)
	}
	want := analysed(1, nil)
	if n := strings.Count(want, `{"race":`); n < 12 || !strings.Contains(want, "5.std") {
		t.Fatalf("%d races", n)
	}
	for _, workers := range []int{2, 8, 16} {
		if got := analysed(workers, nil); got != want {
			t.Errorf("%d at once: a report of %d bytes, not the one of %d", workers, len(got), len(want))
		}
	}
	if got := analysed(8, &memory{limit: 1 << 50}); got != want {
		t.Error("with a limit, another report")
	}
	runtime.GC()
	// A limit that is too small ends prediction, and says so.
	if got := analysed(8, &memory{limit: 1}); !strings.Contains(got, `"code":"prediction-full"`) {
		t.Error("without memory, no warning")
	}
}

// writeTraces writes twelve traces that race, one of them damaged.
func writeTraces(t *testing.T, dir string) (files []string) {
	t.Helper()
	for i := range 12 {
		var s strings.Builder
		for k := range 40 * (i%4 + 1) { // different times
			fmt.Fprintf(&s, "T1|w(V%d)|%d\nT1|acq(M)|2\nT1|rel(M)|3\nT2|acq(M)|4\nT2|rel(M)|5\nT2|r(V%d)|%d\n", i, 100+k%5, i, 200+k%7)
		}
		if i == 5 {
			s.WriteString("T2|nonsense\n")
		}
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.std", i)))
		if err := os.WriteFile(files[i], []byte(s.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestOrdering: the time for putting events in order is over after leastOrder questions, not
// before.
func TestOrdering(t *testing.T) {
	b := &budget{begun: time.Now().Add(-time.Hour), total: time.Minute}
	over := b.ordering(1, 2)
	for n := range leastOrder {
		if over() {
			t.Fatalf("over after %d questions", n)
		}
	}
	if !over() {
		t.Error("never over")
	}
	b = &budget{begun: time.Now(), total: time.Hour}
	over = b.ordering(1, 2)
	for range 2 * leastOrder {
		if over() {
			t.Fatal("over, with an hour left")
		}
	}
}
