package summary

// Bound is a place where the analysis stops for lack of time or memory. Every case is counted: what
// is beyond a bound is missed, or less exact, and the report says so.
type Bound int

const (
	BoundAccesses Bound = iota // accesses of a summary
	BoundAlike                 // one access, through several calls
	BoundCalls                 // calls between a function and an access that it takes over
	BoundCells                 // what is known of the memory of one object
	BoundStores                // stores of a summary
	BoundReleases              // releases of a summary
	BoundExits                 // exits of a summary
	BoundHoles                 // holes of a summary
	BoundNesting               // holes filled one inside the other
	BoundRounds                // rounds of a block
	BoundGuesses               // conditional locks at one point
	BoundFlags                 // flags that are known at one point
	BoundAliases               // what a result may be
	BoundChain                 // synchronisations one after the other
	BoundPairs                 // pairs at one location of a frame
	BoundContexts              // contexts of a function
	BoundSites                 // accesses of a class
	BoundOrder                 // statements and initialisers whose operands have another order
	NumBounds
)

// Cuts counts, for each bound, the cases beyond it.
type Cuts [NumBounds]int

// Add adds the cases of o.
func (c *Cuts) Add(o *Cuts) {
	for b, n := range o {
		c[b] += n
	}
}

// Total is the number of all cases.
func (c *Cuts) Total() int {
	sum := 0
	for _, n := range c {
		sum += n
	}
	return sum
}

var boundTexts = [NumBounds]struct{ code, text string }{
	BoundAccesses: {"bound-accesses", "accesses were left out of summaries that are too long: races with them are missed"},
	BoundAlike:    {"bound-alike", "accesses were reached by more than four calls with other locks: the further ones were not compared"},
	BoundCalls:    {"bound-calls", "accesses lie more calls below a goroutine's start than a frame follows: they were compared by type and field only"},
	BoundCells:    {"bound-cells", "more was stored in one object than is kept: later loads are not known"},
	BoundStores:   {"bound-stores", "stores were left out of summaries that are too long: callers do not know these values"},
	BoundReleases: {"bound-releases", "releases were left out of summaries that are too long: what they order may be reported"},
	BoundExits:    {"bound-exits", "exits were joined because a function has too many: conditional locks may be lost"},
	BoundHoles:    {"bound-holes", "calls of functions that are not known were left out of summaries that are too long: races behind them are missed"},
	BoundNesting:  {"bound-nesting", "calls through functions that were handed on too often were not followed"},
	BoundRounds:   {"bound-rounds", "blocks were given up because their state did not settle"},
	BoundGuesses:  {"bound-guesses", "conditional locks were left out because there are too many at one point"},
	BoundFlags:    {"bound-flags", "what was seen under locks was left out because there is too much at one point: what it orders may be reported"},
	BoundAliases:  {"bound-aliases", "results were shortened because they may be too many objects: accesses to the others are missed"},
	BoundChain:    {"bound-chain", "searches for an order were ended because too many synchronisations follow each other: ordered pairs may be reported"},
	BoundOrder:    {"bound-order", "statements and initialisers are evaluated in an order that the compiler does not take: their accesses may be ordered otherwise"},
	BoundPairs:    {"bound-pairs", "pairs at one location were not compared because there are too many"},
	BoundContexts: {"bound-contexts", "ways to enter a function were merged because there are too many: locks may be lost"},
	BoundSites:    {"bound-sites", "accesses of one field or variable were not compared because there are too many"},
}

// Code is a stable name of the bound.
func (b Bound) Code() string { return boundTexts[b].code }

// Text says what is beyond the bound.
func (b Bound) Text() string { return boundTexts[b].text }
