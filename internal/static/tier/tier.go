// Package tier says how likely a warning is, and why.
//
// Every piece of evidence that speaks against a race has a code, and a warning has the codes that
// hold. Its tier is the lowest that one of its codes allows: Likely without codes, Possible with
// weak ones, Unlikely otherwise. The default report shows Likely.
package tier

import (
	"slices"
)

// Tier is how likely a warning is.
type Tier string

const (
	Likely   Tier = "likely"
	Possible Tier = "possible"
	Unlikely Tier = "unlikely"
)

// Reason is a stable code for a piece of evidence.
type Reason struct {
	Code string
	Text string
	Tier Tier // the best that a warning with it can have
}

// Reasons is the table of codes.
var Reasons = []Reason{
	{"index-unknown", "two elements whose indices are not known may be different ones", Possible},
	{"other-round", "a call in each round of a loop returned the object, likely another each time", Possible},
	{"type-only", "of the object only its type, or a site that several calls share, is known", Possible},
	{"other-instance", "the objects have one type; nothing shows that they are one", Possible},
	{"same-lock-field", "both hold the same lock of their objects, if the objects are one", Unlikely},
	{"before-start", "one access comes before any goroutine is started", Unlikely},
	{"not-started", "main is there before any known start of the other goroutine", Possible},
	{"one-root", "both accesses are of one goroutine of which nothing shows that there are several", Unlikely},
	{"open-world", "only a caller outside the packages can run both at once", Possible},
	{"second-call", "only a second call of the exported function that starts the goroutine runs beside it", Possible},
	{"closed-world", "only a caller outside the program can run one side beside the other: its commands call the function themselves, or never", Possible},
	{"joined", "one side comes after a wait for the goroutine of the other; only one that is started meanwhile is beside it", Possible},
	{"unknown-call", "only calls whose target is not known reach one side; its object may not be shared yet", Possible},
	{"owned-holder", "the object that leads to the memory is not shared yet where one access is", Possible},
	{"merged-contexts", "callers with different locks were merged for one side, so that none is left", Possible},
	{"unpublished", "one access is made before the maker of the object has let others have it than goroutines that it has started; the other goroutine is none of these", Possible},
	{"taken-out", "one access is made after the memory was taken out of its shared place; only a goroutine that has read that before still reaches it", Possible},
	{"append-append", "two appends to the slice of a field or variable write the same element only if the slice has room", Possible},
	{"constructor", "one access is in the function that makes the object, before it starts any goroutine", Possible},
	{"run-once", "both sides are reached from one main loop of an object, which is called once by its name", Possible},
	{"set-once", "the memory is written inside of Once.Do only, and the Once is not of its object: set up, likely before the readers start", Possible},
	{"ordered-in-frame", "where both goroutines are known, one access comes before the other", Unlikely},
}

// Of returns the tier that the codes leave.
func Of(codes []string) Tier {
	t := Likely
	for _, r := range Reasons {
		if slices.Contains(codes, r.Code) && rank(r.Tier) > rank(t) {
			t = r.Tier
		}
	}
	return t
}

// Text is the sentence that goes with a code.
func Text(code string) string {
	for _, r := range Reasons {
		if r.Code == code {
			return r.Text
		}
	}
	return ""
}

func rank(t Tier) int { return slices.Index([]Tier{Likely, Possible, Unlikely}, t) }

// Shows reports whether a report of tier at least min has a warning of tier t.
func Shows(min, t Tier) bool { return rank(t) <= rank(min) }
