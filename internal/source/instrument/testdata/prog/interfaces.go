package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

func init() { subjects["interfaces"] = interfaces }

// both has the methods of io.Reader and more.
type both interface {
	io.Reader
	io.ByteReader
}

type unequal struct{ f func() }

func (unequal) Read([]byte) (int, error) { return 0, nil }
func (unequal) ReadByte() (byte, error)  { return 0, nil }

func next(b both) both {
	fmt.Println("next")
	return b
}

func same[T io.Reader](x T, y io.Reader) bool { return io.Reader(x) == y }

// chosen is a switch whose cases have a type of their own each.
func chosen(narrow both, wide io.Reader) string {
	switch b := narrow; next(b) {
	case nil:
		return "nil"
	case io.ByteReader(strings.NewReader("x")), wide:
		return "wide"
	case strings.NewReader("y"):
		return "a pointer"
	}
	return "none"
}

// interfaces compares interfaces of different types, either way round.
func interfaces() {
	s, other := strings.NewReader("x"), strings.NewReader("y")
	var narrow both = s
	for _, wide := range []io.Reader{s, other, nil, struct{ io.Reader }{s}} {
		fmt.Println(narrow == wide, wide == narrow, narrow != wide, wide != narrow, next(narrow) == wide, narrow == nil)
		fmt.Println(any(narrow) == wide, wide == any(narrow), same(narrow, wide), same(s, wide))
		var none both
		fmt.Println(none == wide, wide != none, error(nil) == any(wide))
	}
	caught("not comparable", func() {
		var x both = unequal{}
		var y io.Reader = unequal{}
		fmt.Println(x == y)
	})
	caught("not comparable, not used", func() {
		var x both = unequal{}
		var y io.Reader = unequal{}
		_ = x == y
	})
	for _, wide := range []io.Reader{s, other, nil, narrow} {
		fmt.Println(chosen(narrow, wide), chosen(nil, wide))
		switch wide {
		case narrow, nil:
			fmt.Println("narrow or nil")
		default:
			fmt.Println("another")
		}
	}
	caught("not comparable, in a switch", func() { fmt.Println(chosen(unequal{}, unequal{})) })
	err := errors.New("e")
	fmt.Println(err == any(err), any(err) == err)
}
