package engine

// budget counts the work on one pair.
type budget struct {
	start int // sat.conflicts when the pair began
	steps int // executions for this pair
}

// exhausted reports whether a pair has used up what the options allow, with this number of
// conflicts since the Solver was made.
func (b *budget) exhausted(conflicts int, opt Options) bool {
	return conflicts-b.start > opt.Conflicts || b.steps > opt.Steps
}
