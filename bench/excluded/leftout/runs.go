package leftout

import (
	"context"
	"fmt"
	"log"
	"slices"
)

// runs records what the arguments name n times, and prints what is found each time, and the
// medians. Total is of all.
func (b *bench) runs(ctx context.Context, args []string, n int) {
	var sums []map[variant]*row
	failed := 0
	for k := range n {
		if n > 1 {
			fmt.Printf("\nrun %d of %d\n", k+1, n)
		}
		printHead()
		all := b.total
		b.total = map[variant]*row{}
		for _, arg := range args {
			if err := b.argument(ctx, arg); err != nil {
				log.Printf("%s: %v", arg, err)
				failed++
			}
		}
		if n > 1 {
			b.printTotal("sum")
		}
		sums = append(sums, b.total)
		for s, x := range b.total {
			addTo(all, s, x)
		}
		b.total = all
	}
	if n > 1 {
		b.printMedians(sums)
	}
	if failed > 0 {
		fmt.Printf("%d times an argument was not recorded or not looked at to its end, so sums lack it: the log says why\n", failed)
	}
}

// printMedians prints, for each variant, the median of each count over some runs, with the least
// and the largest where they differ.
func (b *bench) printMedians(sums []map[variant]*row) {
	fmt.Printf("\nmedians of %d runs, [least largest] where they differ\n", len(sums))
	for _, s := range b.variants {
		count := func(of func(*row) int) string {
			var list []int
			for _, sum := range sums {
				if x := sum[s]; x != nil {
					list = append(list, of(x))
				}
			}
			return median(list)
		}
		fmt.Printf("%-16s true %s, left %s\n", s, count(func(x *row) int { return x.races }), count(func(x *row) int { return x.left }))
		for _, d := range columns {
			fmt.Printf("    %-8s of those left %s, more true %s, false %s\n", detectors[d], count(func(x *row) int { return x.found[d].left }),
				count(func(x *row) int { return x.found[d].more }), count(func(x *row) int { return x.found[d].wrong }))
		}
	}
}

// median is the median of a list as text, the lower one of two, and the least and the largest where
// they differ.
func median(list []int) string {
	if len(list) == 0 {
		return "-"
	}
	slices.Sort(list)
	low, high := list[0], list[len(list)-1]
	text := fmt.Sprint(list[(len(list)-1)/2])
	if low < high {
		text += fmt.Sprintf(" [%d %d]", low, high)
	}
	return text
}
