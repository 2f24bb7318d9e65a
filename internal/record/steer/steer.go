// Package steer has the schedules of steered runs: which goroutine goes on when, in a recorded
// program that has one processor.
//
// The runtime of such a program (presage_steer.go of internal/record/recorder) gives the processor
// to another goroutine only where one waits, ends, or comes to an operation of synchronisation in
// traced code. A schedule is a list of parts. A [Part] names a goroutine, and how many records of
// synchronisation it has made at its end. Behind the last part, and where the goroutine of a part
// has to wait, a [Base] scheduler chooses. All its choices are a function of the seed.
//
// A goroutine has a number that is the same in each run in which the same goroutines start it in
// the same order: [Child] makes it of that of its parent.
package steer

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/presage-race/presage/internal/host/private"
)

// Env names the variable with the file of the schedule, in the environment of the program.
const Env = "PRESAGE_STEER"

// Environ is what a steered program needs in its environment besides: one processor, and no garbage
// collection, whose goroutines take part in the scheduling.
var Environ = []string{"GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1"}

// Runtime is the number of the runtime, which starts the main goroutine. Firings is that of the
// parent of all firings of timers.
const (
	Runtime = uint64(0)
	Firings = uint64(2)
)

// Child is the number of the n-th goroutine that another one starts, from 1 on.
func Child(parent, n uint64) uint64 { return mix(parent*0x9e3779b97f4a7c15+n) | 1 }

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A Part is over when its goroutine has made Until records of synchronisation since it began.
type Part struct {
	Goroutine uint64
	Until     uint64
}

// A Choice is the channel that a select looks at first: that of a goroutine when it has made so
// many records of synchronisation.
type Choice struct {
	Goroutine, Records, Channel uint64
}

// A Schedule is what a run is to do.
type Schedule struct {
	Seed    uint64
	Parts   []Part
	Choices []Choice
	Base    Base
}

// A Result is what a run has done.
type Result struct {
	Done    uint64 // parts that are over
	Missed  uint64 // times that the goroutine of a part could not go on
	Picked  uint64 // times that a goroutine was chosen,
	Several uint64 // of these: among several
	Hash    uint64 // of the goroutines chosen among several
	// Unended are goroutines that could have gone on when the process ended: they were asleep, in
	// the kernel, or did not come to their end.
	Unended uint64
}

// The file has a header of headerWords words, then two words for each part and four for each
// choice, and two for each weight.
const (
	magic       = uint64(0x7265657473657270)
	headerWords = 16
	minSize     = 4096 // what the program maps first
)

// Write makes the file of a schedule.
func (s *Schedule) Write(name string) error {
	words := make([]uint64, headerWords, headerWords+2*len(s.Parts))
	words[0], words[1], words[2], words[3] = magic, s.Seed, uint64(len(s.Choices)), uint64(len(s.Parts))
	words[10], words[11], words[12] = uint64(s.Base.Kind), s.Base.Depth, s.Base.Steps
	words[13], words[14], words[15] = s.Base.Object, uint64(len(s.Base.Weights)), s.Base.Seed
	for _, p := range s.Parts {
		words = append(words, p.Goroutine, p.Until)
	}
	for _, c := range s.Choices {
		words = append(words, c.Goroutine, c.Records, c.Channel, 0)
	}
	for _, w := range s.Base.Weights {
		words = append(words, w.Goroutine, w.Events)
	}
	b := make([]byte, 0, max(minSize, 8*len(words)))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return private.WriteFile(name, append(b, make([]byte, cap(b)-len(b))...))
}

// ReadResult reads what a run with the schedule of a file has done.
func ReadResult(name string) (r Result, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	if len(b) < minSize || binary.LittleEndian.Uint64(b) != magic {
		return r, fmt.Errorf("%s is no schedule", name)
	}
	for i, p := range []*uint64{&r.Done, &r.Missed, &r.Picked, &r.Several, &r.Hash, &r.Unended} {
		*p = binary.LittleEndian.Uint64(b[8*(4+i):])
	}
	return r, nil
}
