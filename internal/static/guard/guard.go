// Package guard infers which lock guards which field or variable, from how many of its uses hold
// it.
//
// A use is a source line where the memory is accessed and its object is not owned ((LI5) of package
// link). It holds a lock if it does so in every context of its function. A use that writes must
// hold the lock for writing; a use that reads may hold it in either mode.
//
// A lock is named by the steps to it from the deepest object that its path shares with that of the
// memory: mu is s.mu where s.x of the same s is used. A package-level lock is named by itself. A
// lock of which only the class is known is not counted.
//
// A lock guards memory if more than half of its uses hold it, at least two, and one of its uses
// writes.
//
// # Soundness
//
// A fact is a suggestion: it counts uses, and does not know what was meant.
//
// # Complexity
//
// Linear in uses and the locks that they hold.
package guard

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/summary"
)

// Table counts uses. The zero value is empty.
type Table struct{ classes map[string]*class }

type class struct {
	// the locks that are held there in every context so far
	uses   map[summary.Pos]map[string]bool
	writes bool
}

// Use notes a use of memory of a class, at the path memory, with the locks that are held. Paths are
// keys of package path.
func (t *Table) Use(name, memory string, a *summary.Access, locks map[string]lockset.Mode) {
	if t.classes == nil {
		t.classes = map[string]*class{}
	}
	c := t.classes[name]
	if c == nil {
		c = &class{uses: map[summary.Pos]map[string]bool{}}
		t.classes[name] = c
	}
	c.writes = c.writes || a.Kind.Writes()
	var held map[string]bool
	for l, m := range locks {
		if m != lockset.Write && a.Kind.Writes() {
			continue
		}
		if n := lies(l, memory); n != "" {
			if held == nil {
				held = map[string]bool{}
			}
			held[n] = true
		}
	}
	if old, again := c.uses[a.Pos]; again {
		maps.DeleteFunc(old, func(n string, _ bool) bool { return !held[n] })
		return
	}
	c.uses[a.Pos] = held
}

// Fact says that a lock guards memory, with how many of its uses hold it.
type Fact struct {
	Class      string // "pkg.T.f", or "var pkg.v"
	Lock       string // as names it
	Held, Uses int
	Without    []summary.Pos // the uses that do not hold it, by function
	First      summary.Pos   // one of the uses: the first by function and place
}

// Of returns the fact of a class: that of the lock which most uses hold, by name among equals.
// False if no lock guards it.
func (t *Table) Of(name string) (Fact, bool) {
	c := t.classes[name]
	if c == nil || !c.writes {
		return Fact{}, false
	}
	count := map[string]int{}
	for _, held := range c.uses {
		for l := range held {
			count[l]++
		}
	}
	best, lies := Fact{Class: name, Uses: len(c.uses)}, ""
	for l, n := range count {
		if n > best.Held || n == best.Held && l < lies {
			lies, best.Held = l, n
		}
	}
	best.Lock = lockName(lies)
	if best.Held < 2 || best.Held*2 <= best.Uses {
		return Fact{}, false
	}
	for p, held := range c.uses {
		if best.First == (summary.Pos{}) || p.Compare(best.First) < 0 {
			best.First = p
		}
		if !held[lies] {
			best.Without = append(best.Without, p)
		}
	}
	slices.SortFunc(best.Without, summary.Pos.Compare)
	return best, true
}

// Facts lists what is known of fields and package-level variables, by class. Elements and what
// pointers lead to are left out: a goroutine that gets there has used the field.
func (t *Table) Facts() []Fact {
	var out []Fact
	for name := range t.classes {
		if strings.ContainsAny(name, "*[") {
			continue
		}
		if f, ok := t.Of(name); ok {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b Fact) int { return cmp.Compare(a.Class, b.Class) })
	return out
}

// lies is how a lock lies to the memory that it may guard; "" if nothing shows it.
func lies(lock, memory string) string {
	if lock[0] == '@' {
		return lock
	}
	toLock, toMemory, ok := Relation(lock, memory)
	if !ok || toLock == "" {
		return ""
	}
	return toLock + "|" + toMemory
}

// lockName names a lock by how it lies to the memory.
func lockName(lies string) string {
	toLock, _, _ := strings.Cut(strings.TrimPrefix(lies, "@"), "|")
	return name(toLock)
}

// name writes the steps of a path as Go has them.
func name(steps string) string {
	var b strings.Builder
	for i, s := range strings.Split(steps, "!") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "*", ""), "[]", "[…]")
		switch {
		case i == 0:
			b.WriteString(s[strings.LastIndexByte(s, '/')+1:])
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s[strings.LastIndexByte(s, '.')+1:])
		}
	}
	return b.String()
}

// LastStep is the last step of a lock's path, a field with its type; with the field that holds it,
// if that type has no name.
func LastStep(lock string) string {
	i := max(strings.LastIndexByte(lock, '!'), 0)
	if j := strings.LastIndexByte(lock[:i], '!'); j >= 0 && strings.HasPrefix(lock[i:], "!struct.") {
		i = j
	}
	return lock[i:]
}

// Relation is how a lock lies to memory: the steps to the two from the deepest object that both
// paths have. False if there is none, or if the lock is an element and the memory is in none: which
// of the locks it is may differ.
func Relation(lock, memory string) (toLock, toMemory string, ok bool) {
	if lock[0] == '?' {
		a, ok := ParseAbove(lock)
		if rest, below := strings.CutPrefix(memory, a.Formal); ok && below && (rest == "" || step(rest[0])) {
			return a.Down, a.Up + rest, true
		}
		return "", "", false
	}
	n := 0
	for i := 0; i < len(lock) && i < len(memory) && lock[i] == memory[i]; i++ {
		if i+1 == len(lock) || i+1 == len(memory) || step(lock[i+1]) && step(memory[i+1]) {
			n = i + 1
		}
	}
	if n == 0 {
		return "", "", false
	}
	if toLock, toMemory = lock[n:], memory[n:]; strings.Contains(toLock, "[]") && !strings.Contains(toMemory, "[]") {
		return "", "", false // one of several locks, of memory that is one
	}
	return toLock, toMemory, true
}

// Above is a lock that lies in an object above what a function is given: Formal is what is Up steps
// below that object, the lock is Down steps below it. It is written ?Formal:Up|Down.
type Above struct{ Formal, Up, Down string }

func (a Above) String() string { return "?" + a.Formal + ":" + a.Up + "|" + a.Down }

// ParseAbove reads what String has written. False of any other path.
func ParseAbove(lock string) (a Above, ok bool) {
	rest, ok := strings.CutPrefix(lock, "?")
	if !ok {
		return a, false
	}
	if a.Formal, rest, ok = strings.Cut(rest, ":"); !ok {
		return Above{}, false
	}
	a.Up, a.Down, ok = strings.Cut(rest, "|")
	return a, ok
}

func step(c byte) bool { return c == '!' || c == '[' || c == '*' }
