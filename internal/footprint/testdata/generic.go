package cases

import (
	"encoding/binary"
	"fmt"
	"strings"
)

type account struct{ n int }
type alias = account
type box[T any] struct{ v T }
type lists[T any] = box[[]T]
type hidden[T any] struct{ v T } // nobody outside has one

// want: write box[account],box[box[int8]],box[int8]
func (b *box[U]) set(v U) { b.v = v }

// want: write .
func (h *hidden[U]) hide(v U) { h.v = v }

// want: write account,in int,in string,int,string
func put[T any](p *T, v T) { *p = v }

// want: write in string,string
func first[S ~[]E, E any](s S, v E) { s[0] = v }

// want: write map[string]account
func enter[M ~map[K]V, K comparable, V any](m M, k K, v V) { m[k] = v }

// want: write account,in int,int
func through[P ~*T, T any](p P, v T) { *p = v }

// want: write in string,string
func grow[S ~[]E, E any](s S, v E) S { return append(s, v) }

// want: none dynamic
func traced[A any](f func(A), a A) { f(a) }

// want: write * state=* dynamic
func outside[F ~func(A) R, A, R any](f F, a A) { f(a) }

func uses() {
	b, c, d := &box[account]{}, &box[box[int8]]{}, lists[int8]{}
	fmt.Sprint(b, c)
	b.set(account{})
	c.set(box[int8]{})
	d.set(nil)
	new(hidden[int]).hide(1)
	s, t, a := "", []string{""}, alias{}
	binary.Read(nil, nil, &a)
	put(&s, "")
	put(&a, a)
	first(t, "")
	enter(map[string]alias{}, "", a)
	through(&a, a)
	grow(t, "")
	traced(func(account) {}, a)
	outside(strings.NewReader, "")
}
