package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
)

func init() { subjects["control"] = control }

func labels() (out []string) {
outer:
	for i := 0; i < 4; i++ {
		for j := range 4 {
			switch {
			case j == 2:
				continue outer
			case i == 2:
				break outer
			case i == j:
				fallthrough
			case i > 5:
				out = append(out, fmt.Sprint("f", i, j))
			default:
				out = append(out, fmt.Sprint(i, j))
			}
		}
	}
	i := 0
loop:
	if i < 3 {
		i++
		if i == 2 {
			goto loop
		}
		out = append(out, "g")
		goto loop
	}
	return
}

func swap(a, b, c int) (int, int, int) {
	for i := 0; i < 4; i++ {
		a, b, c = b, c, a
	}
	return a, b, c
}

func kind(x any) string {
	switch x := x.(type) {
	case nil:
		return "nil"
	case int, int64:
		return fmt.Sprintf("int %v", x)
	case string:
		return "string " + x
	case error:
		return "error " + x.Error()
	case []int:
		return fmt.Sprint("slice ", len(x))
	case func() int:
		return fmt.Sprint("func ", x())
	case fmt.Stringer:
		return "stringer " + x.String()
	}
	return fmt.Sprintf("other %T", x)
}

type mode int

func (m mode) String() string { return [...]string{"a", "b"}[m] }

type wrapped struct {
	fs.FileMode
	*acc
	io.Reader
	name string
}

func order(log *[]string, name string, v int) int {
	*log = append(*log, name)
	return v
}

func control() {
	fmt.Println(labels())
	fmt.Println(swap(1, 2, 3))
	for _, x := range []any{nil, 1, int64(2), "s", errors.New("e"), []int{1}, func() int { return 3 }, mode(1), 1.5, struct{ a int }{1}} {
		fmt.Println(kind(x))
	}
	w := wrapped{FileMode: 0o644, acc: &acc{3}}
	fmt.Println(w.IsRegular(), w.add(4).get(), w.sum, w.FileMode)
	caught("nil embedded", func() { w.Read(nil) })
	var log []string
	m := map[int]int{}
	m[order(&log, "key", 1)] = order(&log, "value", 2) + order(&log, "third", 3)
	fmt.Println(log, m)
	sum := 0
	for i, b := range []byte("abc") {
		sum += i * int(b)
	}
	for i, r := range "aé\xff世" {
		fmt.Print(i, ":", r, " ")
	}
	fmt.Println(sum)
	mm := map[int]bool{}
	for i := 0; i < 100; i++ {
		mm[i] = true
	}
	n := 0
	for k := range mm {
		n++
		for j := 0; j < 100; j++ {
			if j != k {
				delete(mm, j)
			}
		}
	}
	fmt.Println("iterations with deletion", n, len(mm))
	keys := []int{}
	for k, v := range map[int]string{3: "c", 1: "a"} {
		keys = append(keys, k*10+len(v))
	}
	sort.Ints(keys)
	fmt.Println(keys)
	var nilmap map[string]int
	for range nilmap {
		fmt.Println("never")
	}
	if _, err := os.Stat("/nonexistent/file"); errors.Is(err, fs.ErrNotExist) {
		fmt.Println("not exist")
	}
	arr := [3]int{1, 2, 3}
	for i, v := range arr {
		arr[2] = 10
		if i == 2 {
			fmt.Println("copied", v)
		}
	}
	for i, v := range &arr {
		arr[2] = 20
		if i == 2 {
			fmt.Println("shared", v)
		}
	}
	clear(m)
	fmt.Println(len(m), min(3, 1, 2), max("a", "b"))
}
