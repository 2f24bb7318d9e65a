// Package steer has the schedules of steered runs: which goroutine goes on when, in a recorded
// program that has one processor.
//
// The runtime of such a program (presage_steer.go of internal/record/recorder) gives the processor
// to another goroutine only where one waits, ends, or comes to an operation of synchronisation in
// traced code, or to an access at a site of the schedule. A schedule is a list of parts. A [Part]
// names a goroutine, and how many records of synchronisation it has made at its end. Behind the
// last part, and where the goroutine of a part has to wait, a [Base] scheduler chooses. All its
// choices are a function of the seed.
//
// A goroutine has a number that is the same in each run in which the same goroutines start it in
// the same order: [Child] makes it of that of its parent.
package steer

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/private"
)

// Env names the variable with the file of the schedule, in the environment of the program.
const Env = "PRESAGE_STEER"

// Environ is what a steered program needs in its environment besides: one processor, and no garbage
// collection, whose goroutines take part in the scheduling, before it has used much memory.
func Environ(user []string) []string {
	list := []string{"GOMAXPROCS=1", "GOGC=off"}
	if !slices.ContainsFunc(user, func(v string) bool { return strings.HasPrefix(v, "GOMEMLIMIT=") }) {
		list = append(list, "GOMEMLIMIT=1GiB")
	}
	return list
}

// Processors is what GOMAXPROCS and NumCPU of the runtime say in a steered run, unless GOMAXPROCS
// is in the user's environment. It is the same on all machines.
const Processors = 4

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

// A Part is over when its goroutine has made Until records of synchronisation since it began. With
// OrWaits in Until, it is over too when the goroutine waits.
type Part struct {
	Goroutine uint64
	Until     uint64
}

// OrWaits is a bit of Part.Until.
const OrWaits = uint64(1) << 63

// An End says how a part has ended.
type End uint64

// What an End has: in the file, these are bits of Part.Until.
const (
	Over   End = 1 << (62 - iota) // the part is over,
	Waited                        // because its goroutine waited
	Chosen                        // the goroutine went on for it
	Missed                        // another one did, since that of the part could not
)

// A Choice is the case that a select looks at first: that of a goroutine when it has made so many
// records of synchronisation. Cases have numbers from 1 on, as in the value of a SelectCase of a
// steered run: [Cases] takes that apart.
type Choice struct {
	Goroutine, Records, Case uint64
}

// Cases returns the number of the case of a SelectCase with a value, and that of the chosen one. 0:
// it is not known, or none was chosen.
func Cases(value uint64) (number, chosen uint64) { return value & 0xffff, value >> 16 }

// A Schedule is what a run is to do.
type Schedule struct {
	Seed    uint64
	Parts   []Part
	Choices []Choice
	// Processors is what the runtime says of their number; 0: the constant
	Processors uint64
	Sites      []uint32 // of accesses of memory, each of which is a point, and counts as a record
	Base       Base
}

// A Point is an access at a site of the schedule.
type Point struct {
	Event     uint64 // so many events of the trace come before
	Goroutine uint64 // as the trace has it
	Site      uint32
	Address   uint64
	Size      uint64
	Write     bool
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
	// Held is 1 if all other goroutines had gone on for as long as they could, when the process
	// ended. It is 0 if the process was killed, or ended itself in another way.
	Held  uint64
	Asked Asked // what the program has asked for
	// Early is the longest time until a timer that fired although not all goroutines waited.
	Early   time.Duration
	Blocked []Blocked
	Ends    []End // of the parts
}

// Asked is a set of things that a program asks for, and that no schedule decides.
type Asked uint64

// What a program may ask for.
const (
	// AskedProcessors is their number.
	AskedProcessors Asked = 1 << iota
	// AskedGoroutines is the number of goroutines, and AskedProcess that of the process.
	AskedGoroutines
	AskedProcess
	// AskedCollector says that there are finalizers, cleanups or weak pointers, AskedCollected that
	// one of these was called, or nil.
	AskedCollector
	AskedCollected
)

// Clock is the address of points that are readings of the clock.
const Clock = 32

// Blocked is a goroutine that waited when the process ended, and the channel or lock that it waited
// for. One in a select has an entry for each case.
type Blocked struct {
	Goroutine, Object uint64
	Kind              Wait
	Case              uint64 // of a select, from 1 on
}

// A Wait is an operation that waits.
type Wait uint64

// The operations that wait. Those that are not here, as Cond.Wait, have an event before they do.
const (
	Receive Wait = 1 + iota
	Send
	Lock
	RLock
	WGWait
	Once
)

// The file has a header of headerWords words, then two words for each part, four for each choice,
// two for each weight, three for each goroutine that may wait at the end, and one for each site.
const (
	magic       = uint64(0x7265657473657270)
	headerWords = 24
	maxBlocked  = 256
	minSize     = 4096 // what the program maps first
)

// Write makes the file of a schedule.
func (s *Schedule) Write(name string) error {
	words := make([]uint64, headerWords, headerWords+2*len(s.Parts))
	words[0], words[1], words[2], words[3] = magic, s.Seed, uint64(len(s.Choices)), uint64(len(s.Parts))
	words[10], words[11], words[12] = uint64(s.Base.Kind), s.Base.Depth, s.Base.Steps
	words[13], words[14], words[15] = s.Base.Object, uint64(len(s.Base.Weights)), s.Base.Seed
	words[18], words[19] = uint64(len(s.Sites)), cmp.Or(s.Processors, Processors)
	for _, p := range s.Parts {
		words = append(words, p.Goroutine, p.Until)
	}
	for _, c := range s.Choices {
		words = append(words, c.Goroutine, c.Records, c.Case, 0)
	}
	for _, w := range s.Base.Weights {
		words = append(words, w.Goroutine, w.Events)
	}
	words = append(words, make([]uint64, 3*maxBlocked)...)
	for _, site := range s.Sites {
		words = append(words, uint64(site))
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
	word := func(i uint64) uint64 {
		if 8*i+8 > uint64(len(b)) {
			return 0
		}
		return binary.LittleEndian.Uint64(b[8*i:])
	}
	for i, p := range []*uint64{&r.Done, &r.Missed, &r.Picked, &r.Several, &r.Hash, &r.Unended} {
		*p = word(uint64(4 + i))
	}
	r.Asked, r.Early = Asked(word(20)), time.Duration(word(21))
	if r.Held = word(16); word(17) > maxBlocked {
		r.Held = 0 // some are not known
	}
	for i := range word(3) {
		r.Ends = append(r.Ends, End(word(headerWords+2*i+1))&(Over|Waited|Chosen|Missed))
	}
	at := headerWords + 2*word(3) + 4*word(2) + 2*word(14)
	for i := range min(word(17), maxBlocked) {
		kind := word(at + 3*i + 2)
		r.Blocked = append(r.Blocked, Blocked{word(at + 3*i), word(at + 3*i + 1), Wait(kind & 0xff), kind >> 8})
	}
	return r, nil
}
