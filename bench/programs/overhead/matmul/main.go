// Command matmul multiplies two square matrices, a band of rows to each goroutine.
package main

import (
	"fmt"
	"sync"
)

const (
	n     = 192
	bands = 4
)

func main() {
	a, b, c := matrix(1), matrix(2), matrix(0)
	var wg sync.WaitGroup
	for band := range bands {
		wg.Add(1)
		go func() {
			defer wg.Done()
			multiply(a, b, c, band*n/bands, (band+1)*n/bands)
		}()
	}
	wg.Wait()
	trace := 0.0
	for i := range n {
		trace += c[i][i]
	}
	fmt.Println(trace)
}

func matrix(seed int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = float64(seed * (i ^ j) % 7)
		}
	}
	return m
}

func multiply(a, b, c [][]float64, from, to int) {
	for i := from; i < to; i++ {
		for j := range n {
			sum := 0.0
			for k := range n {
				sum += a[i][k] * b[k][j]
			}
			c[i][j] = sum
		}
	}
}
