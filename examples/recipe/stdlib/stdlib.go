// Package stdlib has branches that rest on functions of the standard library: texts that are made of numbers, looked at, and read
// back. Each function is evaluated like an operator, so it is known which other numbers go the same way, and which another.
package stdlib

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

var (
	house, year, zip, flat int
	code                   float64
	a, b, c, d, e, f       int
)

func t1() {
	house = 12  // race(1, predicted)
	a = 1       // race(2, by-value)
	house = 17  // race(3, predicted)
	year = 987  // race(4, predicted)
	b = 1       // race(5, by-path)
	year = 2026 // race(6, predicted)
	zip = 105   // race(7, predicted)
	c = 1       // race(8, by-path)
	zip = 5     // race(9, predicted)
	code = 2.5  // race(10, predicted)
	d = 1       // race(11, by-value)
	e = 1       // race(12, by-path)
	code = 0.5  // race(13, predicted)
	flat = 7    // race(14, predicted)
	f = 1       // race(15, by-path)
	flat = 11   // race(16, predicted)
}

func t2() {
	if strings.HasPrefix(strconv.Itoa(house), "1") { // race(1, predicted) // race(3, predicted)
		println(a) // race(2, by-value)
	}
	if s := strconv.Itoa(year); len(s) < 4 { // race(4, predicted) // race(6, predicted)
		println(b) // race(5, by-path)
	}
	if _, err := strconv.Atoi(strconv.Itoa(zip)[1:]); err == nil { // race(7, predicted) // race(9, predicted)
		println(c) // race(8, by-path)
	}
	whole, _, ok := strings.Cut(strconv.FormatFloat(code, 'f', 1, 64), ".") // race(10, predicted) // race(13, predicted)
	if ok {
		println(d) // race(11, by-value)
	}
	if strings.ToUpper(max("w", strings.Repeat("x", len(whole))+whole)) == "X2" {
		println(e) // race(12, by-path)
	}
	if fmt.Sprintf("%02d%%%v", flat, ok) == "07%true" { // race(14, predicted) // race(16, predicted)
		println(f) // race(15, by-path)
	}
}

// Run runs t1, then t2.
func Run() {
	house, year, zip, flat, code = 0, 0, 0, 0, 0
	inorder.Run(t1, t2)
}
