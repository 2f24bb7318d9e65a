package tracetest

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/predict/model"
)

// Verdict is an answer about one pair.
type Verdict uint8

const (
	Unknown Verdict = iota
	Race
	NoRace
)

func (v Verdict) String() string { return [...]string{"unknown", "race", "no race"}[v] }

// Answer is a predictor's answer for a pair. Order is the witness of a Race.
type Answer struct {
	Verdict Verdict
	Order   []int32
	How     string // which part of the predictor decided, for the counts
}

// A Predictor answers for the pairs of one window. The engine and the explorer (Exhaustive) are
// predictors.
type Predictor func(w *model.Window) func(model.Pair) Answer

// Exhaustive is the explorer as a predictor.
func Exhaustive(w *model.Window) func(model.Pair) Answer {
	races, _ := Explore(w, 0)
	return func(p model.Pair) Answer {
		if order, ok := races[p]; ok {
			return Answer{Verdict: Race, Order: order}
		}
		return Answer{Verdict: NoRace}
	}
}

// Counts are the totals of several calls of Compare.
type Counts struct {
	Windows  int
	TooLarge int // windows with too many states for the explorer; their pairs are not counted
	Pairs    int
	Unknown  int
	Races    int
	How      map[string]int // pairs by verdict and the part that decided
}

// A Disagreement is a pair for which the answers of predictor and explorer differ, or whose witness
// the checker rejects.
type Disagreement struct {
	Window   *model.Window
	Pair     model.Pair
	Got      Answer
	Want     Verdict
	Again    bool  // in the second pass over the pairs
	Panic    any   // the predictor panicked
	Rejected error // the checker's verdict on a witness
}

func (d *Disagreement) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# pair %d %d: the explorer says %s", d.Pair.A, d.Pair.B, d.Want)
	if d.Again {
		b.WriteString(" (asked again)")
	}
	switch {
	case d.Panic != nil:
		fmt.Fprintf(&b, ", the predictor panics: %s\n", firstLine(fmt.Sprint(d.Panic)))
	case d.Rejected != nil:
		fmt.Fprintf(&b, ", the predictor's witness %v is rejected: %v\n", d.Got.Order, d.Rejected)
	default:
		fmt.Fprintf(&b, ", the predictor (%s) %s\n", d.Got.How, d.Got.Verdict)
	}
	if races, _ := Explore(d.Window, 0); d.Want == Race {
		fmt.Fprintf(&b, "# the explorer's witness: %v\n", races[d.Pair])
	}
	b.WriteString(Format(d.Window))
	return b.String()
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// statesLimit bounds the exploration of one window in comparisons.
const statesLimit = 300_000

// Compare compares the answers of predictor and explorer for every conflicting pair of w, and
// checks every witness of the predictor. Then it does so again in the other order, since what a
// predictor learns from one pair must not change its answer for another. It returns the first
// difference.
func Compare(w *model.Window, predict Predictor, c *Counts) *Disagreement {
	pairs := Candidates(w)
	if len(pairs) == 0 {
		return nil
	}
	races, complete := Explore(w, statesLimit)
	c.Windows++
	if !complete {
		c.TooLarge++
		return nil
	}
	if c.How == nil {
		c.How = map[string]int{}
	}
	var first *Disagreement
	ask := guard(w, predict)
	for k := range 2 * len(pairs) {
		again := k >= len(pairs)
		if again {
			k = 2*len(pairs) - 1 - k
		}
		p := pairs[k]
		d := &Disagreement{Window: w, Pair: p, Want: NoRace, Again: again}
		if _, ok := races[p]; ok {
			d.Want = Race
		}
		d.Got, d.Panic = ask(p)
		if !again {
			c.add(d)
		}
		if first == nil && d.differs() {
			first = d
		}
	}
	return first
}

// add counts a pair.
func (c *Counts) add(d *Disagreement) {
	c.Pairs++
	if d.Want == Race {
		c.Races++
	}
	if d.Panic == nil && d.Got.Verdict == Unknown {
		c.Unknown++
	}
	c.How[fmt.Sprintf("%s by %s", d.Got.Verdict, d.Got.How)]++
}

// differs reports whether d is a disagreement.
func (d *Disagreement) differs() bool {
	switch {
	case d.Panic != nil:
		return true
	case d.Got.Verdict == Unknown:
		return false
	case d.Got.Verdict == Race:
		d.Rejected = witness.Check(d.Window, d.Pair, d.Got.Order)
		return d.Rejected != nil || d.Want != Race
	}
	return d.Got.Verdict != d.Want
}

// guard turns a predictor's panics into values.
func guard(w *model.Window, predict Predictor) func(model.Pair) (Answer, any) {
	try := func(f func()) (crash any) {
		defer func() { crash = recover() }()
		f()
		return nil
	}
	var ask func(model.Pair) Answer
	crash := try(func() { ask = predict(w) })
	return func(p model.Pair) (a Answer, _ any) {
		if crash != nil {
			return a, crash
		}
		return a, try(func() { a = ask(p) })
	}
}
