package engine

// budget counts the work on one pair.
type budget struct {
	conflicts int // since the Solver was made
	start     int // conflicts when the pair began
	steps     int // executions for this pair
}

func (b *budget) open() { b.start, b.steps = b.conflicts, 0 }

// spent is the number of conflicts of this pair.
func (b *budget) spent() int { return b.conflicts - b.start }

// exhausted reports whether the pair has had all that the options allow.
func (b *budget) exhausted(opt Options) bool {
	return b.spent() > opt.Conflicts || b.steps > opt.Steps
}
