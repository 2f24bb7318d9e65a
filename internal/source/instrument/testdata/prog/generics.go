package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func init() { subjects["generics"] = generics }

type number interface{ ~int | ~float64 | ~uint8 }

func sum[T number](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

type list[T any] struct {
	head *node[T]
	n    int
}

type node[T any] struct {
	v    T
	next *node[T]
}

func (l *list[T]) push(v T) { l.head = &node[T]{v, l.head}; l.n++ }

func (l *list[_]) len() int { return l.n }

func (l *list[T]) all() func(yield func(int, T) bool) {
	return func(yield func(int, T) bool) {
		i := 0
		for n := l.head; n != nil; n = n.next {
			if !yield(i, n.v) {
				return
			}
			i++
		}
	}
}

func mapTo[S ~[]E, E, R any](s S, f func(E) R) []R {
	out := make([]R, 0, len(s))
	for _, e := range s {
		out = append(out, f(e))
	}
	return out
}

func keys[M ~map[K]V, K cmp.Ordered, V any](m M) []K {
	var ks []K
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

type pair[K comparable, V any] struct {
	key K
	val V
}

func (p pair[K, V]) String() string { return fmt.Sprintf("%v=%v", p.key, p.val) }

func first[T any](xs []T, def T) T {
	if len(xs) > 0 {
		return xs[0]
	}
	var zero T
	_ = zero
	return def
}

func swapped[T any](p, q *T) {
	*p, *q = *q, *p
}

func zero[T comparable](x T) bool {
	var z T
	return x == z
}

type ints []int

func find(l *list[string], want string) (at int, err error) {
	defer func() {
		if err == nil {
			at += 100
		}
	}()
	for i, s := range l.all() {
		if s == want {
			return i, nil
		}
		if strings.HasPrefix(s, "stop") {
			break
		}
	}
	return -1, fmt.Errorf("no %s", want)
}

func nestedRange(l *list[string]) (out []string) {
outer:
	for i, a := range l.all() {
		for j, b := range l.all() {
			if i == j {
				continue
			}
			if j > 2 {
				continue outer
			}
			if i > 1 {
				break outer
			}
			out = append(out, a+b)
		}
	}
	return out
}

func generics() {
	fmt.Println(sum(1, 2, 3), sum(1.5, 2), sum[uint8](200, 100))
	l := &list[string]{}
	for _, s := range []string{"c", "b", "a"} {
		l.push(s)
	}
	for i, v := range l.all() {
		if i == 2 {
			break
		}
		fmt.Print(i, v, " ")
	}
	fmt.Println(l.len())
	fmt.Println(mapTo(ints{1, 2}, func(x int) string { return fmt.Sprint(x * 2) }))
	fmt.Println(keys(map[string]int{"z": 1, "y": 2}))
	fmt.Println(pair[string, int]{"a", 1}, &pair[int, []int]{1, nil})
	fmt.Println(first([]int{}, 5), first([]string{"x"}, "y"))
	a, b := [2]string{"p", "q"}, [2]string{"r", "s"}
	swapped(&a, &b)
	fmt.Println(a, b, zero(a), zero(0), zero(struct{}{}))
	fmt.Println(find(l, "b"))
	fmt.Println(find(l, "q"))
	fmt.Println(nestedRange(l))
	caught("panic in body", func() {
		for range l.all() {
			panic("body")
		}
	})
	fmt.Println(slices.Collect(func(yield func(int) bool) {
		for i := range 3 {
			if !yield(i * i) {
				return
			}
		}
	}))
}
