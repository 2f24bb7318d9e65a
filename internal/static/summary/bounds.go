package summary

// Bound is a place where the analysis stops for lack of time or memory. Every case is counted: what
// is beyond a bound is missed, or less exact, and the report says so.
type Bound int

const (
	BoundAccesses Bound = iota // accesses of callees in a summary
	BoundAlike                 // one access, through several calls
	BoundCalls                 // calls between a function and an access that it takes over
	BoundCells                 // what is known of the memory of one object
	BoundStores                // stores of a summary
	BoundReleases              // releases of a summary
	BoundExits                 // exits of a summary
	BoundHoles                 // holes of callees in a summary
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
	BoundAccesses: {"bound-accesses", "{{n}} access{{|es}} {{was|were}} left out of summaries that are too long: races with {{it|them}} are missed"},
	BoundAlike:    {"bound-alike", "{{n}} access{{|es}} {{was|were}} reached by more than four calls with other locks: the further ones were not compared"},
	BoundCalls:    {"bound-calls", "{{n}} access{{|es}} lie{{s|}} more calls below a goroutine's start than a frame follows: {{it was|they were}} compared by type and field only"},
	BoundCells:    {"bound-cells", "more was stored in one object than is kept: later loads are not known"},
	BoundStores:   {"bound-stores", "{{n}} store{{|s}} {{was|were}} left out of summaries that are too long: callers do not know {{this value|these values}}"},
	BoundReleases: {"bound-releases", "{{n}} release{{|s}} {{was|were}} left out of summaries that are too long: what {{it orders|they order}} may be reported"},
	BoundExits:    {"bound-exits", "{{n}} exit{{|s}} {{was|were}} joined because a function has too many: conditional locks may be lost"},
	BoundHoles:    {"bound-holes", "{{n}} call{{|s}} of functions that are not known {{was|were}} left out of summaries that are too long: races in {{it|them}} are missed"},
	BoundNesting:  {"bound-nesting", "{{n}} call{{|s}} through functions that were passed on too often {{was|were}} not followed"},
	BoundRounds:   {"bound-rounds", "{{n}} block{{|s}} {{was|were}} given up because {{its|their}} state did not settle"},
	BoundGuesses:  {"bound-guesses", "{{n}} conditional lock{{|s}} {{was|were}} left out because there are too many at one point"},
	BoundFlags:    {"bound-flags", "what was seen under locks was left out because there is too much at one point: what it orders may be reported"},
	BoundAliases:  {"bound-aliases", "{{n}} result{{|s}} {{was|were}} shortened because {{it|they}} may be too many objects: accesses to the others are missed"},
	BoundChain:    {"bound-chain", "{{n}} search{{|es}} for an order {{was|were}} ended because too many synchronisations follow each other: ordered pairs may be reported"},
	BoundOrder:    {"bound-order", "{{n}} statement{{|s}} or initialiser{{|s}} {{is|are}} evaluated in an order that the compiler does not take: {{its|their}} accesses may be ordered otherwise"},
	BoundPairs:    {"bound-pairs", "{{n}} pair{{|s}} at one location {{was|were}} not compared because there are too many"},
	BoundContexts: {"bound-contexts", "ways to enter a function were merged because there are too many: locks may be lost"},
	BoundSites:    {"bound-sites", "accesses of one field or variable were not compared because there are too many"},
}

// Code is a stable name of the bound.
func (b Bound) Code() string { return boundTexts[b].code }

// Text says what is beyond the bound, with forms for one and for several (package plural).
func (b Bound) Text() string { return boundTexts[b].text }
