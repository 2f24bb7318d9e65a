package hidden

import "fmt"

type record struct{ a, b int } // no value of the type leads anywhere

type shown struct{ a, b int }

var (
	plain  int
	handed int
	table  = map[string]*record{}
	all    []record
)

func globals() {
	plain = 101
	handed = 201
	fmt.Sscan("1", &handed)
	table["a"] = &record{}
	table["a"].a = 102
	all = append(all, record{})
	all[0].b = 103
}

func locals() {
	n, m := 0, 0
	inner := func() {
		n = 104
		m = 202
		func() { m = 203 }()
	}
	inner()
	func() { fmt.Sscan("1", &m) }()
	m = 204
	n = 105
	_ = n
}

func fields(s *shown) {
	s.a = 205
	fmt.Print(s)
	r := new(record)
	r.a = 106
}

func pointer(p *int, s []int) {
	*p = 206
	s[0] = 207
}

type partly struct{ open, closed int }

func parts(p *partly) {
	p.open = 208
	p.closed = 107
	fmt.Sscan("1", &p.open)
}
