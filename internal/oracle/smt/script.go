package smt

import (
	"fmt"
	"strings"
)

// script is the text of a query while it is written.
type script struct {
	names       map[string]bool // declared or defined
	text        strings.Builder
	floats      bool   // it needs the theory of floating point
	unsupported string // why there is no encoding, or ""
}

// giveUp records why the pair has no encoding.
func (s *script) giveUp(why string, args ...any) {
	if s.unsupported == "" {
		s.unsupported = fmt.Sprintf(why, args...)
	}
}

// declare introduces an unknown, once.
func (s *script) declare(name sexp, sort string) sexp {
	if !s.names[string(name)] {
		s.names[string(name)] = true
		fmt.Fprintf(&s.text, "(declare-const %s %s)\n", name, sort)
	}
	return name
}

// define names an expression, so that its text is in the query once.
func (s *script) define(name sexp, sort string, x sexp) sexp {
	if !s.names[string(name)] {
		s.names[string(name)] = true
		fmt.Fprintf(&s.text, "(define-fun %s () %s %s)\n", name, sort, x)
	}
	return name
}

func (s *script) assert(x sexp) {
	if x != yes {
		fmt.Fprintf(&s.text, "(assert %s)\n", x)
	}
}

// logic is the logic of SMT-LIB that the query needs.
func (s *script) logic() string {
	if s.floats {
		return "QF_BVFP"
	}
	return "QF_BV"
}
