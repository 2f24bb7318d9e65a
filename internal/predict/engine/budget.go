package engine

// budget counts the work on one pair.
type budget struct {
	start    int // sat.conflicts when the pair began
	literals int // sat.literals then
	steps    int // executions for this pair
	asked    int
}

// askEvery is the number of steps of a search between two questions whether it is over.
const askEvery = 64

// exhausted reports whether a pair has used up what the options allow, with this number of
// conflicts since the Solver was made.
func (b *budget) exhausted(conflicts int, opt Options) bool {
	if b.asked++; b.asked%askEvery == 0 && opt.Over != nil && opt.Over() {
		return true
	}
	return conflicts-b.start > opt.Conflicts || b.steps > opt.Steps
}
