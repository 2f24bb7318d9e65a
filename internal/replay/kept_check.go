package replay

import (
	"errors"
	"fmt"
	"maps"

	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/untrusted/trust"
)

// consistent reports what no schedule can be, whoever wrote it: nothing of it is run then. Of a
// kept schedule there is no trace against which its order could be checked; what holds it together
// are the sums of its text, and these rules.
func (k *Kept) consistent() error {
	if k.ID == "" || k.Package == "" || k.Dir == "" {
		return errors.New("the head lacks a line: id, dir, and test or run are needed")
	}
	if err := k.namesConsistent(); err != nil {
		return err
	}
	numbered := map[int]bool{}
	for _, f := range k.funcs {
		for _, g := range f.gates {
			if g.number > 0 && numbered[g.number] {
				return fmt.Errorf("there are two gates %s", gateName(g.number))
			}
			numbered[g.number] = true
		}
	}
	inFunction := maps.Clone(numbered)
	for _, p := range k.places {
		if numbered[p.number] {
			return fmt.Errorf("there are two gates %s", gateName(p.number))
		}
		numbered[p.number] = true
	}
	for i, g := range k.who {
		if g.gate > 0 && !inFunction[g.gate] {
			return fmt.Errorf("goroutine %d is started at %s, which no function has", i+1, gateName(g.gate))
		}
	}
	if len(k.who) == 0 || k.who[0].parent >= 0 {
		return errors.New("the first goroutine is missing")
	}
	for i := range k.steps {
		if err := k.steps[i].consistent(k, numbered); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	for i := range k.stops {
		if err := k.stops[i].consistent(k, inFunction); err != nil {
			return fmt.Errorf("stop %d: %w", i+1, err)
		}
	}
	for i, f := range k.feeds {
		if f.who > len(k.who) || !inFunction[f.gate] || i > 0 && f.who < k.feeds[i-1].who {
			return fmt.Errorf("feed %d is of goroutine %d at %s, which is not in order", i+1, f.who, gateName(f.gate))
		}
	}
	return k.pairConsistent()
}

// namesConsistent holds what becomes a path, or an argument of the go command, to what it is: the
// file may be somebody else's.
func (k *Kept) namesConsistent() error {
	files, packages := []string{k.Dir}, []string{k.Package}
	for _, s := range k.sources {
		files = append(files, s.file)
	}
	for i := range k.funcs {
		files, packages = append(files, k.funcs[i].file), append(packages, k.funcs[i].pkg)
	}
	for i := range k.places {
		files, packages = append(files, k.places[i].file), append(packages, k.places[i].pkg())
	}
	if !trust.Name(k.ID) {
		return fmt.Errorf("id %q is not one of a race", k.ID)
	}
	for _, f := range files {
		if !trust.Local(f) {
			return fmt.Errorf("%q is not below the root of the module", f)
		}
	}
	for _, p := range packages {
		if !trust.Package(p) {
			return fmt.Errorf("%q is not a package", p)
		}
	}
	return nil
}

func (s *keptStep) consistent(k *Kept, numbered map[int]bool) error {
	switch {
	case s.who > len(k.who):
		return fmt.Errorf("there is no goroutine %d", s.who)
	case !numbered[s.gate]:
		return fmt.Errorf("no function has the gate %s", gateName(s.gate))
	}
	if p := k.place(s.gate); p != nil && s.flags&held == 0 {
		return fmt.Errorf("the access at %s is not one of the race", p)
	} else if p != nil && p.kind() != s.kind {
		return fmt.Errorf("the access at %s is not a %v", p, s.kind)
	}
	return nil
}

// pairConsistent holds the accesses of the race to what a race is, and goroutines to being started
// before they do anything.
func (k *Kept) pairConsistent() error {
	a, b := k.pair()
	switch {
	case b != len(k.steps)-1 || a < 0:
		return errors.New("the schedule does not end in the two accesses of the race: two steps have to be held, the last one among them")
	case !k.apart && a != b-1:
		return fmt.Errorf("steps %d and %d stand between the accesses of the race", a+2, b)
	case k.steps[a].who == k.steps[b].who:
		return fmt.Errorf("steps %d and %d, the accesses of the race, are of one goroutine", a+1, b+1)
	case k.steps[a].kind == format.OpaqueBegin || k.steps[b].kind == format.OpaqueBegin:
		// an access of code without gates: the call is held
	case k.steps[a].object != k.steps[b].object:
		return fmt.Errorf("steps %d and %d, the accesses of the race, are of two objects", a+1, b+1)
	case !k.steps[a].kind.IsAccess() || !k.steps[b].kind.IsAccess() || !k.steps[a].kind.IsWrite() && !k.steps[b].kind.IsWrite():
		return fmt.Errorf("steps %d and %d, the accesses of the race, are a %v and a %v", a+1, b+1, k.steps[a].kind, k.steps[b].kind)
	}
	type start struct{ parent, gate int }
	started := map[start]int{}
	for i, s := range k.steps {
		if s.kind == format.Go || s.kind == format.WGAdd && s.flags&mark == 0 {
			// WaitGroup.Go does both
			started[start{s.who, s.gate}]++
		}
		if g := k.who[s.who-1]; g.gate > 0 && started[start{g.parent, g.gate}] <= g.ordinal {
			return fmt.Errorf("step %d is of goroutine %d, which no step before it starts", i+1, s.who)
		}
	}
	return nil
}

// pair is the places of the two accesses, -1 for one that there is not.
func (k *Kept) pair() (a, b int) {
	a, b = -1, -1
	for i, s := range k.steps {
		if s.flags&held != 0 {
			if b >= 0 && a >= 0 {
				return -1, -1
			}
			a, b = b, i
		}
	}
	return a, b
}
