package predict

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestDamaged takes lines out of the traces of testdata/rdit, doubles them, moves them and gives
// them other numbers. Each is analysed to its end or gives an error: no panic, and no witness that
// a checker refuses.
func TestDamaged(t *testing.T) {
	files, err := filepath.Glob("testdata/rdit/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	var texts []string
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; k < len(a.Files); k += 2 {
			texts = append(texts, string(a.Files[k].Data))
		}
	}
	n := 6000
	if testing.Short() {
		n = 1500
	}
	failed := 0
	for k := range n {
		r := rand.New(rand.NewPCG(31, uint64(k)))
		text := damage(r, texts[r.IntN(len(texts))])
		events, meta, err := raw.Parse(text)
		if err != nil {
			continue
		}
		for m := excluded.Reachable; m <= excluded.Ignore; m++ {
			func() {
				defer func() {
					if x := recover(); x != nil {
						t.Fatalf("%v in mode %d:\n%s", x, m, text)
					}
				}()
				res, err := Run(context.Background(), &tracetest.Source{Events: events, Tables: meta}, meta, Options{Excluded: m, Window: []int{0, 5}[k%2]})
				if err != nil {
					failed++
				} else if len(res.Rejected) > 0 {
					t.Fatalf("%v in mode %d:\n%s", res.Rejected, m, text)
				}
			}()
		}
	}
	t.Logf("%d of %d damaged traces are errors", failed, 3*n)
}

// damage does some harm to a text.
func damage(r *rand.Rand, text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for range 1 + r.IntN(4) {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(7) {
		case 0:
			if len(lines) > 1 {
				lines = append(lines[:i:i], lines[i+1:]...)
			}
		case 1:
			lines = append(lines[:j:j], append([]string{lines[i]}, lines[j:]...)...)
		case 2:
			lines[i], lines[j] = lines[j], lines[i]
		case 3: // of another goroutine
			_, rest, _ := strings.Cut(lines[i], " ")
			who, _, _ := strings.Cut(lines[j], " ")
			lines[i] = who + " " + rest
		case 4:
			lines[i] += fmt.Sprintf(" val=%d", []uint64{0, 1, 1 << 12, 1 << 63, 1<<64 - 1}[r.IntN(5)])
		case 5:
			lines[i] += fmt.Sprintf(" aux=%d", []uint64{0, 1, 2, 1<<64 - 1}[r.IntN(4)])
		case 6:
			lines = append(lines[:j:j], append([]string{odd[r.IntN(len(odd))]}, lines[j:]...)...)
		}
	}
	return strings.Join(lines, "\n")
}

var odd = []string{
	"t1 end", "t2 end", "t1 methodbegin b all", "t2 methodbegin b", "t2 methodend b", "t1 methodend a", "t1 reach x", "t2 reach v", "t1 reachgo t2", "t1 reachgo t1",
	"t1 start", "t9 write v val=3 @nine", "main go t1", "t1 go t1", "t1 join t2", "t1 alloc x val=64", "t2 alloc v val=8 zero", "t1 lock x", "t2 unlock x", "t1 send x val=1", "t2 recv x val=1",
	"t1 send x val=1 aux=1", "t2 recv x val=1 aux=1", "t1 write x size=1 val=1 @one", "t2 write x+6 size=4 val=1 @odd", "t1 read x size=300 val=0 @big", "t1 opaque", "t1 opaqueend", "t2 opaque", "t2 opaqueend",
	"t1 acquire 0", "t2 release x", "t1 wgadd x val=-1", "t2 wgwait x", "t1 case x aux=0", "t1 default", "t1 write v @novalue", "t1 oncebegin x", "t2 oncepass x", "t2 condwait x", "t2 condwake x", "t1 signal x",
	"t1 reach 0xffffffffffffffff val=0xffffffffffffffff", "t1 write 0xffffffffffffffff size=8 val=1 @last",
}
