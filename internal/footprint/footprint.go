package footprint

import (
	"slices"
	"strings"
)

// Effect is what a call does with the memory it reaches.
type Effect uint8

const (
	None  Effect = iota // touches nothing that others can
	Read                // reads
	Write               // reads and writes
)

var effectNames = [...]string{None: "none", Read: "read", Write: "write"}

func (e Effect) String() string { return effectNames[e] }

// Set is the footprint of a call or of an access. The zero value touches nothing.
type Set struct {
	Effect Effect
	All    bool     // every type
	Types  []string // sorted
	State  string   // hidden state; "" if none, "*" for any
}

// AnyState is the hidden state of a call whose callee is not known (F7).
const AnyState = "*"

// Anything is the footprint of code about which nothing is known.
var Anything = Set{Effect: Write, All: true, State: AnyState}

// Meets reports whether the order of two steps with these footprints can matter (M1, M2).
func Meets(a, b *Set) bool {
	if a.State != "" && b.State != "" && (a.State == b.State || a.State == AnyState || b.State == AnyState) {
		return true
	}
	if a.Effect == None || b.Effect == None || a.Effect == Read && b.Effect == Read {
		return false
	}
	if a.All {
		return b.All || len(b.Types) > 0
	}
	if b.All {
		return len(a.Types) > 0
	}
	for i, j := 0, 0; i < len(a.Types) && j < len(b.Types); {
		switch strings.Compare(a.Types[i], b.Types[j]) {
		case 0:
			return true
		case -1:
			i++
		default:
			j++
		}
	}
	return false
}

// String returns the text form, which Parse reads:
//
//	effect [* | T;T;…] [state=S]
func (s *Set) String() string {
	var b strings.Builder
	b.WriteString(s.Effect.String())
	if s.All {
		b.WriteString("\t*")
	} else if len(s.Types) > 0 {
		b.WriteString("\t" + strings.Join(s.Types, "\v"))
	}
	if s.State != "" {
		b.WriteString("\tstate=" + s.State)
	}
	return b.String()
}

// Parse reads the text form. What it cannot read is Anything.
func Parse(text string) Set {
	fields := strings.Split(text, "\t")
	effect := slices.Index(effectNames[:], fields[0])
	if effect < 0 {
		return Anything
	}
	s := Set{Effect: Effect(effect)}
	for _, f := range fields[1:] {
		if state, ok := strings.CutPrefix(f, "state="); ok {
			s.State = state
		} else if f == "*" {
			s.All = true
		} else {
			s.Types = strings.Split(f, "\v")
		}
	}
	return s
}
