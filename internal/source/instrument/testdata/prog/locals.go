package main

import "fmt"

func init() { subjects["locals"] = locals }

// Local types of one name are different types whose name reflection shows.
func locals() {
	type T struct{ a int }
	fmt.Printf("%T %+v\n", T{1}, T{1})
	var x any = T{2}
	{
		type T struct {
			b    string
			next *T
		}
		_, same := x.(T)
		y := T{b: "b", next: &T{b: "c"}}
		fmt.Printf("%T %v %s %v\n", y, same, y.next.b, y.next.next == nil)
		func() {
			type T []T
			z := T{nil, {}}
			fmt.Printf("%T %d\n", z, len(z))
		}()
	}
	_, same := x.(T)
	fmt.Println(same, scopes(true), scopes(false), scopesOf("s"), scopesOf(3))
}

func scopes(first bool) (s string) {
	defer func() { s += "!" }()
	if first {
		type (
			t struct{ x int }
			u struct{ t }
		)
		return fmt.Sprintf("%T%+v", u{}, u{t{1}})
	}
	type t int
	type v struct{ t }
	{
		type t string
		type w struct {
			*t
			x struct{ t }
		}
		s = fmt.Sprintf("%T%+v", w{}, w{})
	}
	type w struct{ t }
	type m = map[string]int
	type u [2]m
	return fmt.Sprintf("%T%+v%+v", u{}, u{0: {"k": 1}}, v{5}) + fmt.Sprint(w{6}, w{7}.t)
}

func scopesOf[P any](p P) string {
	type pair struct{ a, b P }
	s := fmt.Sprintf("%T", pair{p, p})
	for range 2 {
		type pair struct {
			pair P
			n    int
		}
		s += fmt.Sprintf(" %+v", pair{p, 1})
	}
	return s
}
