package cli

import (
	"fmt"
	"time"
)

// A budget is the time for what comes behind the tests, or behind the program: -time. It bounds
// waiting, not work: -effort, -window and -budget bound that, and leave out the same on every
// machine.
//
//	(T1) Without -time it is three times what the tests took, and at least leastTime. presage
//	     analyze has none.
//	(T2) To put the events in order may take a third of it. What is behind is not searched. The
//	     first of a process are put in order in any case (leastOrder).
//	(T3) Prediction ends when two thirds of it are over, or all of it where nothing is to be
//	     replayed. Of several traces, each has the part of what is left that its events have
//	     of all events that are left.
//	(T4) Replays have what is left, and at least a third of it all. To build for them is not
//	     counted: what is waited for behind the analysis. Pairs that only a run can decide are
//	     taken up within toRunTime.
//	(T5) What is proportional to the trace is always done: to find the races of the recorded
//	     run, and where they are.
//	(T10) Processes that have ended while the tests run are put in order, and their traces
//	     searched, without a limit of time (early.go). Once the tests are over, (T2) and (T3)
//	     hold for what is under way. Beside the tests, the live heap may be half of what (T6)
//	     allows: a search that needs more is given up, and made when they are over.
//
// All that (T2), (T3) and (T4) cut is a warning.
type budget struct {
	begun time.Time
	total time.Duration // 0: there is no end
}

// leastTime is the default where the tests took less than a third of it. With one minute, most of
// the twelve suites of bench/suites/pipeline would be searched in part (2026-11-28).
const leastTime = 5 * time.Minute

// leastOrder is how often the merge asks in vain for the time, so that it comes to something where
// the records alone take that long to open: for 65,536 groups of events.
const leastOrder = 1 << 10

// defaultTime is (T1).
func defaultTime(tests time.Duration) time.Duration { return max(leastTime, 3*tests) }

// end is when it is over; the zero time: never.
func (b *budget) end() time.Time {
	if b.total == 0 {
		return time.Time{}
	}
	return b.begun.Add(b.total)
}

// left is what is left of a part of the budget, as a fraction.
func (b *budget) left(num, den time.Duration) time.Duration {
	return max(0, time.Until(b.begun.Add(b.total*num/den)))
}

// ordering returns what says whether the time for putting the events of a process in order is
// over, which has a share of size of rest (T2).
func (b *budget) ordering(size, rest int64) func() bool {
	late, asked := b.share(1, 3, size, rest), 0
	return func() bool {
		asked++
		return asked > leastOrder && late()
	}
}

// share returns a function that reports whether a share of what is left of a part of the budget is
// over: size of rest.
func (b *budget) share(num, den time.Duration, size, rest int64) func() bool {
	if b == nil || b.total == 0 {
		return func() bool { return false }
	}
	left := b.left(num, den)
	if size < rest {
		left = time.Duration(float64(left) * float64(size) / float64(rest))
	}
	end := time.Now().Add(left)
	return func() bool { return !time.Now().Before(end) }
}

// timeValue reads the value of -time.
func timeValue(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a time such as 10m", value)
	}
	return d, nil
}

// rounded is a time to print: in whole seconds, where there is one.
func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d
	}
	return d.Round(time.Second)
}
