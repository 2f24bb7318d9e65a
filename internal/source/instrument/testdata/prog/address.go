package main

import (
	"fmt"
	"math/bits"
	"unsafe"
)

func init() { subjects["address"] = address }

func spread(x, y, z uintptr) uintptr { return max(x, y, z) - min(x, y, z) }

func folded(n uintptr) int {
	hi, lo := bits.Mul64(uint64(n), 1<<60+1)
	return bits.OnesCount64(hi) - bits.OnesCount64(lo)
}

type block struct {
	name string
	list [3]int64
}

// parts: of a parameter, of a result, and of parts of variables.
func parts(b block, i int) (sum int64) {
	b.list[i] = 7
	var none struct{}
	near := spread(uintptr(unsafe.Pointer(&b.list[i])), uintptr(unsafe.Pointer(&sum)), uintptr(unsafe.Pointer(&none))) < 4096
	fmt.Println(near, uintptr(unsafe.Pointer(&b.list[i]))%8 == 0, b.list, len(b.name))
	sum = b.list[i]
	if uintptr(unsafe.Pointer(&b.list[2]))-uintptr(unsafe.Pointer(&b.list[0])) == 16 {
		sum++
	}
	return sum
}

// deferred has named results, which the deferred call changes.
func deferred() (n int) {
	defer func() { recover() }()
	x := 1
	if uintptr(unsafe.Pointer(&x)) == 0 {
		return 1
	}
	n = x + 1
	panic(n)
}

// result has the number of a named result, which the emitted function has as well.
func result() (n [2]int, ok bool) {
	defer func() { recover() }()
	var x [300]byte
	n[1] = 4
	ok = spread(uintptr(unsafe.Pointer(&n[1])), uintptr(unsafe.Pointer(&ok)), uintptr(unsafe.Pointer(&x))) < 4096
	panic("late")
}

type word unsafe.Pointer

func ofWord() bool {
	x, y := 1, [40]string{}
	p := word(unsafe.Pointer(&x))
	return uintptr(p)-uintptr(unsafe.Pointer(&y[3])) != 0 && x == 1 && y[3] == ""
}

func hide(p unsafe.Pointer) unsafe.Pointer {
	n := uintptr(p)
	return unsafe.Pointer(n ^ 0)
}

// pointers that are numbers for a while
func pointers() (sum int) {
	x, y, z := 1, 2, 3
	*(*int)(unsafe.Pointer(uintptr(unsafe.Pointer(&x)) ^ 0)) += 10
	*(*int)(hide(unsafe.Pointer(&y))) += 10
	n := uint64(uintptr(unsafe.Pointer(&z)))
	*(*int)(unsafe.Pointer(uintptr(n))) += 10
	return x*10000 + y*100 + z
}

func address() {
	var x [300]byte
	var y byte
	z := new([100]int32)
	fmt.Println(spread(uintptr(unsafe.Pointer(&x)), uintptr(unsafe.Pointer(&y)), uintptr(unsafe.Pointer(z))) < 4096)
	fmt.Println(folded(uintptr(unsafe.Pointer(&y))) < 64, y, x[9], z[9])
	fmt.Println(parts(block{name: "a", list: [3]int64{1, 2, 3}}, 1))
	fmt.Println(deferred(), ofWord(), pointers())
	fmt.Println(result())
	last := uintptr(0)
	for i := range 3 {
		v := i * i
		n := uintptr(unsafe.Pointer(&v))
		fmt.Println(last == 0 || n == last, v)
		last = n
	}
}
