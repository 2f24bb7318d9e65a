package command

import "slices"

// MedianRun returns the median of numbers of runs in which something was found first, of which 0,
// for never, is larger than all others. It is false if that is one of these.
func MedianRun(runs []int) (m float64, ok bool) {
	if len(runs) == 0 {
		return 0, false
	}
	list := slices.Clone(runs)
	slices.SortFunc(list, func(a, b int) int {
		if a == 0 || b == 0 {
			return b - a
		}
		return a - b
	})
	low, high := list[(len(list)-1)/2], list[len(list)/2]
	return float64(low+high) / 2, high != 0
}
