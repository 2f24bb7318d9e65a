package session

import (
	"math"
	"slices"
)

// Median returns the median of measurements, which are at least one.
func Median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// Interval returns bounds for the median of what the measurements are drawn from: it is between
// them in 95 of 100 experiments, however it is distributed, for each measurement is below it as
// often as above. With less than six measurements they are infinite.
func Interval(v []float64) (low, high float64) {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	// p is the probability that fewer than k of n measurements are below the median.
	k, term, p := 0, math.Pow(0.5, float64(n)), 0.0
	for p+term <= 0.025 {
		p += term
		k++
		term *= float64(n-k+1) / float64(k)
	}
	if k == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return v[k-1], v[n-k]
}

// Geomean returns the geometric mean of measurements above 0, which are at least one.
func Geomean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}
