package filter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/presage-race/presage/bench/internal/inside"
)

// defaults are the parameters that a plot does not vary.
var defaults = [3]int{4, 10000, 4}

// axes are the parameters, and what is tried of each.
var axes = [3]struct {
	name   string
	values []int
}{
	{"goroutines", []int{1, 2, 4, 8, 16, 32}},
	{"iterations", []int{1000, 2000, 5000, 10000, 20000, 50000}},
	{"locks", []int{1, 2, 4, 8, 16, 32}},
}

// measures are the rows of the plots.
var measures = [3]struct {
	name string
	of   func(*inside.Run) float64
}{
	{"CPU time, s", func(r *inside.Run) float64 { return r.CPU }},
	{"peak memory, MB", func(r *inside.Run) float64 { return r.MB }},
	{"accesses skipped, %", skipped},
}

func skipped(r *inside.Run) float64 { return 100 * float64(r.Same()) / float64(max(1, r.Accesses())) }

// plotAll measures both programs, prints the figures and draws the plots.
func plotAll(ctx context.Context, b *inside.Builder, n int, dir string) error {
	bin := filepath.Join(b.Dir, "micro")
	if err := b.Build(inside.Online, ".", "./programs/micro", bin, false); err != nil {
		return err
	}
	for _, figure := range []string{"5.1", "5.3"} {
		var grid [3][3]plot // by measure and axis
		for a, axis := range axes {
			for m := range measures {
				grid[m][a] = plot{x: axis.name, y: measures[m].name}
			}
			for _, v := range axis.values {
				p := defaults
				p[a] = v
				runs, err := micro(ctx, b, bin, figure, p, n)
				if err != nil {
					return err
				}
				fmt.Printf("%s %2d goroutines %5d iterations %2d locks:", figure, p[0], p[1], p[2])
				for m, what := range measures {
					none, tree := inside.Median(runs[0], what.of), inside.Median(runs[1], what.of)
					grid[m][a].add(float64(v), none, tree)
					fmt.Printf("  %s %.3g → %.3g", what.name, none, tree)
				}
				fmt.Println()
			}
		}
		name := filepath.Join(dir, "tree-"+figure+".svg")
		if err := os.WriteFile(name, draw("Program of Figure "+figure+", FastTrack and FastTrack behind the filter", grid), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func micro(ctx context.Context, b *inside.Builder, bin, figure string, p [3]int, n int) (runs [2][]*inside.Run, err error) {
	for range n {
		for k := range runs {
			r, err := b.Once(ctx, bin, ".", k == 1, nil, figure, strconv.Itoa(p[0]), strconv.Itoa(p[1]), strconv.Itoa(p[2]))
			if err != nil {
				return runs, err
			}
			runs[k] = append(runs[k], r)
		}
	}
	return runs, nil
}
