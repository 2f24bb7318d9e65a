package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unsafe"
)

func init() { subjects["memory"] = memory }

type inner struct {
	a int8
	b float32
	c complex128
}

type outer struct {
	inner
	p    *inner
	s    []inner
	m    map[string]inner
	f    func() int
	i    any
	t    time.Time
	_    int
	last [2]bool
	none struct{}
}

type big [200]int64

func byValue(b big) int64 { b[3] = 7; return b[3] + b[100] }

func offset(p *outer) float32 {
	return *(*float32)(unsafe.Pointer(uintptr(unsafe.Pointer(p)) + unsafe.Offsetof(p.inner) + unsafe.Offsetof(p.inner.b)))
}

func words(s string) (n int) {
	type word struct{ from, to int }
	var ws []word
	start := 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == ' ' {
			ws = append(ws, word{start, i})
			start = i + 1
		}
	}
	for _, w := range ws {
		n += w.to - w.from
	}
	return n*10 + len(ws)
}

type text struct {
	n    int8
	name string
	more [2]struct{ s string }
}

func cast(b *[]byte) *string { return (*string)(unsafe.Pointer(b)) }

func asText[T ~string](b []byte) T { return *(*T)(unsafe.Pointer(&b)) }

// overMemory makes strings of bytes, few and many, and of other memory.
func overMemory() {
	b := []byte(strings.Repeat("0123456789", 12))
	s := unsafe.String(&b[3], 5) + unsafe.String(unsafe.SliceData(b), len(b))[100:] + unsafe.String(nil, 0)
	few := b[10:14]
	lines := [][]byte{few, b[:3], nil}
	x := text{1, *cast(&few), [2]struct{ s string }{{"a"}, {unsafe.String(&b[7], 2)}}}
	y := *(*text)(unsafe.Pointer(&x))
	var t string
	*(*[2]uintptr)(unsafe.Pointer(&t)) = [2]uintptr{uintptr(unsafe.Pointer(&b[1])), 2}
	p := unsafe.Slice((*string)(unsafe.Pointer(&x.name)), 2)
	fmt.Println(s, y, asText[string](few) == "0123", (*(*[]string)(unsafe.Pointer(&[]string{t, t})))[1], p[1], len(lines), *cast(&lines[1]), *cast(&lines[2]))
}

func memory() {
	overMemory()
	o := outer{inner: inner{1, 2.5, 3 + 4i}, m: map[string]inner{}}
	o.p = &o.inner
	o.p.a++
	o.s = append(o.s, o.inner, *o.p)
	o.s[1].b *= 2
	o.m["x"] = o.s[1]
	o.i = o.s[0]
	o.t = time.Unix(0, 0).UTC()
	o.last[1] = true
	copyOf := o
	copyOf.inner.a = 50
	fmt.Println(o.a, o.s, o.m, o.i, o.t.Year(), o.last, copyOf.a, offset(&o), o.i == any(o.s[0]))
	var b big
	b[100] = 3
	fmt.Println(byValue(b), b[3], *(&b) == b)
	s := make([]int, 3, 10)
	t := append(s, 1, 2)
	u := append(s, 9)
	copy(t[1:], u)
	fmt.Println(s, t, u, len(t[:10]), cap(t[2:4:6]), string([]byte("abc")), []rune("aé"), string([]rune{66, 233}), string(rune(67)))
	var buf bytes.Buffer
	binary.Write(&buf, binary.BigEndian, uint32(0xdeadbeef))
	fmt.Printf("%x %x\n", buf.Bytes(), binary.LittleEndian.Uint32(buf.Bytes()))
	fmt.Println(words("the quick brown fox"), strings.Repeat("ab", 3)+"c" < "b")
	grid := [3][3]int{}
	for i := range grid {
		for j := range grid[i] {
			grid[i][j] = i * j
		}
	}
	row := grid[2]
	row[0] = 99
	pp := &grid[1]
	pp[1]++
	fmt.Println(grid, row, len(pp))
	arr := (*[2]int)(s)
	arr[0] = 42
	fmt.Println(s[0], [2]int(s))
	x := struct {
		a int
		b string
	}{1, "two"}
	y := x
	y.a = 3
	fmt.Println(x, y, x == y)
	var nothing [0]int
	for range nothing {
	}
	z := &o.none
	*z = struct{}{}
	f32 := float32(0.1)
	fmt.Println(float64(f32), int(-f32), uint8(int(300)&0xff), int64(f32*1e6), 7/2, -7/2, -7%3, 1<<3|1, 6&^2)
}
