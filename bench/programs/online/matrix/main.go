// Command matrix multiplies two matrices, the rows by four goroutines.
package main

import (
	"fmt"
	"sync"
)

const n = 300

func main() {
	a, b, c := matrix(), matrix(), matrix()
	for i := range n {
		for j := range n {
			a[i][j], b[i][j] = float64(i+j), float64(i-j)
		}
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := w; i < n; i += 4 {
				for j := range n {
					s := 0.0
					for k := range n {
						s += a[i][k] * b[k][j]
					}
					c[i][j] = s
				}
			}
		}()
	}
	wg.Wait()
	fmt.Println(c[n/2][n/3])
}

func matrix() [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}
