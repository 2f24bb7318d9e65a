package cli

import (
	"fmt"
	"time"
)

// budget is the limit of -time on the stages after the tests or the program (CM3). It limits
// waiting, not work: -effort, -window and -budget limit work, and leave out the same on every
// machine.
//
// Processes that end while the tests run are merged and searched without a limit of time
// (early.go). Once the tests are over, the limits hold for these searches too. While the tests run,
// a search that needs more than half of -memory is given up, and made after the tests.
type budget struct {
	begun time.Time
	total time.Duration // 0: there is no end
}

// leastTime is the default where the tests took less than a third of it. With one minute, most of
// the twelve suites of bench/suites/pipeline would be searched in part (2026-11-28).
const leastTime = 5 * time.Minute

// leastOrder is how often the merge gets the answer that there is time left, whatever the time is:
// for 65,536 groups of events. So it makes progress even if opening the records takes all the time.
const leastOrder = 1 << 10

// defaultTime is the time limit without -time.
func defaultTime(tests time.Duration) time.Duration { return max(leastTime, 3*tests) }

// end is the end of the budget; the zero time if it has none.
func (b *budget) end() time.Time {
	if b.total == 0 {
		return time.Time{}
	}
	return b.begun.Add(b.total)
}

// left is the rest of a part num/den of the budget.
func (b *budget) left(num, den time.Duration) time.Duration {
	return max(0, time.Until(b.begun.Add(b.total*num/den)))
}

// ordering returns a function that reports whether the time for merging the records of a process is
// over. The process has the share size of rest. The first events are merged in any case
// (leastOrder).
func (b *budget) ordering(size, rest int64) func() bool {
	late, asked := b.share(1, 3, size, rest), 0
	return func() bool {
		asked++
		return asked > leastOrder && late()
	}
}

// share returns a function that reports whether a share is over: size of rest, of what is left of
// the part num/den of the budget.
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
