package footprint

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
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

// Scope is the memory that a footprint has beside the types it names.
type Scope uint8

const (
	Named      Scope = iota // nothing more
	Foreign                 // all that can be written without the traced types (F8)
	Shared                  // all that any value leads other code to (F3)
	Everything              // also the variables of which nobody has an address
)

// Sees is what a call finds out about goroutines (F15).
type Sees uint8

const (
	NoGoroutines  Sees = iota
	HowMany            // there are
	AllGoroutines      // and what each of them does
)

var seesTexts = [...]string{NoGoroutines: "", HowMany: "sees=number", AllGoroutines: "sees=all"}

var scopeTexts = [...]string{Named: "", Foreign: "~", Shared: "*", Everything: "**"}

// Set is the footprint of a call or of an access. The zero value touches nothing.
type Set struct {
	Effect  Effect
	Scope   Scope
	Hidden  bool     // an access to what only Everything has
	Dynamic bool     // a call of which the callee is known only in the run: it may be a traced function
	Sees    Sees     // a call
	Inward  bool     // a call whose own synchronisation orders nothing for others (F12)
	Types   []string // sorted
	State   string   // hidden state; "" if none, "*" for any
	Loads   []string // sorted: what is only read, by wrappers (F10)
}

// AnyState is the hidden state of a call whose callee is not known (F7).
const AnyState = "*"

// Anything is the footprint of code about which nothing is known.
var Anything = Set{Effect: Write, Scope: Everything, State: AnyState, Dynamic: true}

// Meets reports whether the order of two steps with these footprints can matter (M1, M2).
func Meets(a, b *Set) bool {
	if a.changes(b.Loads) || b.changes(a.Loads) {
		return true
	}
	if sharesState(a.State, b.State) {
		return true
	}
	if a.Effect == None || b.Effect == None || a.Effect == Read && b.Effect == Read {
		return false
	}
	return a.covers(b) || b.covers(a) || intersect(a.Types, b.Types)
}

// States returns the hidden state of a call into a package that is left out, of which what it can reach is known: of code that it calls,
// by a list; and its packages' own, for calls of them of which that is not known, and not for others.
func States(list []string) string {
	if slices.Contains(list, AnyState) {
		return AnyState
	}
	return strings.Join(append([]string{known + common}, list...), " ")
}

// known precedes a hidden state that meets only calls of which what they can reach is not known.
const known = "="

func sharesState(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if a == AnyState || b == AnyState {
		return true
	}
	return slices.ContainsFunc(strings.Fields(a), func(s string) bool {
		return slices.ContainsFunc(strings.Fields(b), func(t string) bool {
			return s == t && !strings.HasPrefix(s, known) || s == known+t || known+s == t
		})
	})
}

// StateOf returns the hidden state of what a function of a package that is left out calls by name: missing says which packages are such, and have no hidden state, for
// their variables are known.
func StateOf(c *ssa.CallCommon, missing func(path string) bool) string {
	name, pkg := callee(c)
	if _, builtin := c.Value.(*ssa.Builtin); builtin || pkg == "" || missing(pkg) {
		return ""
	}
	_, state := lookup(name, pkg)
	return state
}

// changes reports whether a may write to memory of one of these names.
func (a *Set) changes(names []string) bool {
	return len(names) > 0 && a.Effect == Write && Meets(a, &Set{Effect: Read, Types: names})
}

// OfLoads returns the footprint of the wrappers alone.
func (a *Set) OfLoads() Set {
	if len(a.Loads) == 0 {
		return Set{}
	}
	return Set{Effect: Read, Types: a.Loads}
}

// Union returns a footprint that meets what a or b meets.
func Union(a, b Set) Set {
	s := Set{
		Effect: max(a.Effect, b.Effect), Scope: max(a.Scope, b.Scope), Hidden: a.Hidden || b.Hidden, Dynamic: a.Dynamic || b.Dynamic, Sees: max(a.Sees, b.Sees),
		Types: both(a.Types, b.Types), Loads: both(a.Loads, b.Loads), State: max(a.State, b.State),
	}
	if a.State != b.State && a.State != "" && b.State != "" {
		s.State = AnyState
	}
	return s
}

func both(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// covers reports whether the scope of a has something of b.
func (a *Set) covers(b *Set) bool {
	switch a.Scope {
	case Everything:
		return b.Hidden || b.Scope != Named || len(b.Types) > 0
	case Shared:
		return b.Scope != Named || len(b.Types) > 0
	case Foreign:
		return b.Scope != Named || b.foreign()
	}
	return false
}

// foreign reports whether some name has no traced type in it.
func (a *Set) foreign() bool {
	return slices.ContainsFunc(a.Types, func(n string) bool { return !strings.HasPrefix(n, mark) })
}

func intersect(a, b []string) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch strings.Compare(a[i], b[j]) {
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

// Standard reports whether a call is of the standard library alone, of functions that have a state of their own there (F6). What they wait for is
// synchronisation that the runtime's hooks see.
func (a *Set) Standard() bool {
	return a.Scope != Everything && a.State != "" && a.State != AnyState && a.State != common
}

// String returns the text form, which Parse reads:
//
//	effect [. | ~ | * | **] [T;T;…] [state=S] [loads=T;T;…] [dynamic] [sees=number | sees=all] [inward]
func (s *Set) String() string {
	var b strings.Builder
	b.WriteString(s.Effect.String())
	switch {
	case s.Hidden:
		b.WriteString("\t.")
	case s.Scope != Named:
		b.WriteString("\t" + scopeTexts[s.Scope])
	}
	if len(s.Types) > 0 {
		b.WriteString("\t" + strings.Join(s.Types, "\v"))
	}
	if s.State != "" {
		b.WriteString("\tstate=" + s.State)
	}
	if len(s.Loads) > 0 {
		b.WriteString("\tloads=" + strings.Join(s.Loads, "\v"))
	}
	if s.Dynamic {
		b.WriteString("\tdynamic")
	}
	if s.Sees != NoGoroutines {
		b.WriteString("\t" + seesTexts[s.Sees])
	}
	if s.Inward {
		b.WriteString("\tinward")
	}
	return b.String()
}

// Inward reports whether a set of this text form is (F12).
func Inward(text string) bool { return strings.HasSuffix(text, "\tinward") }

// SeesAny reports whether a set of this text form sees goroutines (F15).
func SeesAny(text string) bool { return strings.Contains(text, "\tsees=") }

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
		} else if loads, ok := strings.CutPrefix(f, "loads="); ok {
			s.Loads = strings.Split(loads, "\v")
		} else if k := slices.Index(seesTexts[:], f); k > 0 {
			s.Sees = Sees(k)
		} else if k := slices.Index(scopeTexts[:], f); k > 0 {
			s.Scope = Scope(k)
		} else if f == "." {
			s.Hidden = true
		} else if f == "dynamic" {
			s.Dynamic = true
		} else if f == "inward" {
			s.Inward = true
		} else {
			s.Types = strings.Split(f, "\v")
		}
	}
	return s
}
