package scale

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
)

// side is an access of a warning in the report, as far as the sample prints it.
type side struct {
	File      string
	Line      int
	Kind      string
	Expr      string
	Func      string
	Goroutine struct{ Func, Origin string }
	Locks     []struct{ Name, Mode string }
	Stack     []struct {
		Func, File string
		Line       int
	}
}

// sample prints n warnings of a report, chosen by the seed, with both accesses in files below dir:
// they are to be judged from source.
func sample(report []byte, dir string, n int, seed uint64) error {
	type warning struct {
		ID, Tier string
		A, B     side
	}
	var list []warning
	for _, line := range bytes.Split(report, []byte("\n")) {
		var m struct{ Race *warning }
		if len(line) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if w := m.Race; w != nil && w.Tier == "warning" && below(w.A.File, dir) && below(w.B.File, dir) {
			list = append(list, *w)
		}
	}
	slices.SortFunc(list, func(a, b warning) int { return strings.Compare(a.ID, b.ID) })
	all := len(list)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(all, func(i, j int) { list[i], list[j] = list[j], list[i] })
	fmt.Printf("sample: %d of %d warnings of the program's own packages, seed %d\n", min(n, all), all, seed)
	for i, w := range list[:min(n, all)] {
		fmt.Printf("%2d. %s\n", i+1, w.ID)
		for _, s := range []side{w.A, w.B} {
			fmt.Printf("    %s:%d %s of %s in %s, goroutine of %s (%s), locks %v\n", relative(s.File, dir), s.Line, s.Kind, s.Expr, s.Func, s.Goroutine.Func, s.Goroutine.Origin, s.Locks)
			for _, f := range s.Stack[min(1, len(s.Stack)):] {
				fmt.Printf("        called by %s at %s:%d\n", f.Func, relative(f.File, dir), f.Line)
			}
		}
	}
	return nil
}

func below(file, dir string) bool { return strings.HasPrefix(file, dir+string(filepath.Separator)) }

func relative(file, dir string) string {
	if r, err := filepath.Rel(dir, file); err == nil && below(file, dir) {
		return r
	}
	return file
}
