package steer

import (
	"fmt"
	"slices"
)

// A Kind is one of the base schedulers (presage_base.go of internal/record/recorder).
type Kind uint64

// The base schedulers.
const (
	// Random is the random walk, a uniform choice at each point. It is the default.
	Random Kind = iota
	// PCT has random priorities of goroutines, and changes some at random points (Burckhardt,
	// Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of
	// Finding Bugs", ASPLOS 2010).
	PCT
	// POS has random priorities of pending operations (Yuan, Yang and Gu, "Partial Order Aware
	// Concurrency Sampling", CAV 2018).
	POS
	// SURW samples the orders of interesting events uniformly (Zhao, Wolff, Mathur and
	// Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025).
	SURW
)

var kinds = []string{"random", "pct", "pos", "surw"}

// ParseKind returns the base scheduler of a name.
func ParseKind(name string) (Kind, error) {
	if i := slices.Index(kinds, name); i >= 0 {
		return Kind(i), nil
	}
	return 0, fmt.Errorf("no base scheduler %q: there are %q", name, kinds)
}

func (k Kind) String() string { return kinds[k] }

// A Base is a base scheduler with what it needs besides the seed.
type Base struct {
	Kind Kind
	// Seed is combined with that of the schedule, for the choices of goroutines and of selects. The
	// random numbers of the program depend on the seed of the schedule alone.
	Seed  uint64
	Depth uint64 // PCT: the depth of the bug, from 1 on
	Steps uint64 // PCT: an estimate of the steps of a run; 0: priorities do not change
	// SURW: the object whose operations are the interesting events; 0: all operations are
	Object  uint64
	Weights []Weight // SURW
}

// A Weight is an estimate of the interesting events of a goroutine and all that it starts, and
// those start.
type Weight struct{ Goroutine, Events uint64 }
