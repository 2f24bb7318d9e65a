package explore

import "github.com/presage-race/presage/internal/record/steer"

// What a program asks for decides on what it does. If it is the same in all runs, as the number of
// processors, the claim names it. If other schedules could have another answer, which no run has
// tried, there is no claim: the number of goroutines falls at a time that is not recorded, and when
// finalizers run is not varied. The number of the process is another one in each run.
const undecided = steer.AskedGoroutines | steer.AskedProcess | steer.AskedCollected

// asks counts what a run has asked for.
func (s *State) asks(asked steer.Asked) {
	for bit := steer.Asked(1); bit <= steer.AskedCollected; bit <<= 1 {
		if asked&bit != 0 {
			if s.Asked == nil {
				s.Asked = map[steer.Asked]int{}
			}
			s.Asked[bit]++
		}
	}
}

// undecided is in how many runs something was asked for that forbids the claim, counted for each.
func (s *State) undecided() (n int) {
	for bit, runs := range s.Asked { // the order does not matter
		if bit&undecided != 0 {
			n += runs
		}
	}
	return n
}
