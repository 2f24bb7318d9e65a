package replay

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// The file of a schedule, in words of 8 bytes, little-endian, mapped shared by the program that is
// replayed:
//
//	header    64 words
//	gates     14 words for each goroutine
//	steps     12 words for each step, those of a goroutine one after the other
//	preds     step | level << 56: what has to be done before, while the schedule is below this level
//	children  a hash table of two words a slot: of parent, key and number among its children with this key: gate + 1; of parent and key: how many came
//	feeds     site | number << 32, value: what calls return in place of what they would (feed.go), those of a goroutine one after the other
//	logs      for each access of the pair how many of outside code came to its place, and of the first ones address and size
//	marks     a byte for each site: whether a gate there is more than a check
//
// What the words mean is said in internal/record/recorder/_gates/runtime/presage_gate.go, which has
// these constants too. The program writes what became of the steps into the same file: a killed
// process leaves what it has done.
const (
	magic       = 0x6574616765676173
	fileVersion = 3

	hdrPid, hdrGates, hdrSteps, hdrPreds, hdrSites  = 2, 3, 4, 5, 6
	hdrLimit, hdrLevel, hdrSequence                 = 7, 8, 9
	hdrMoved, hdrStalls                             = 10, 11
	hdrApart, hdrChildren, hdrWords                 = 30, 31, 64
	hdrSeed, hdrFeeds, hdrArgs, hdrNth, hdrSeen     = 32, 33, 34, 35, 36
	hdrHold, hdrPrefer, hdrValues                   = 37, 38, 40
	hdrLooks, hdrMissed, hdrOver                    = 56, 57, 58
	gateParent, gateOrdinal, gateFirst, gateCount   = 0, 1, 2, 3
	gateState, gateNumber, gateFeed, gateFeeds      = 4, 5, 6, 7
	gateFed, gateOdd, gateID, gateStall             = 8, 9, 10, 11
	gateLast, gateWords                             = 12, 14
	stepSite, stepSkip, stepPreds, stepState        = 0, 1, 2, 3
	stepOrder, stepTime, stepGate, stepPair, stWord = 4, 5, 6, 7, 12
	stepAddr, stepSize, stepChoice, stepPlace       = 8, 9, 10, 11

	maxStalls = 8
	logged    = 128 // accesses of a log
	logWords  = 1 + 2*logged
)

// The flags of a step.
const (
	early = 1  // it is done when it passes: what it calls may take long, or has steps of its own
	parks = 2  // it is done when its goroutine waits
	mark  = 4  // nothing waits here: it says that something is done
	held  = 8  // an access of the pair, which waits for the other one
	stops = 16 // its goroutine does nothing more in the witness (RP1)

	outside = 32  // an access of outside code (RP2)
	dropped = 128 // it is no step (walker.outside)
)

// The levels: what is in force below each. A schedule that stalls is loosened by one.
const (
	frozen   = 1 // goroutines that have no more steps wait
	strict   = 2 // steps take place in the order of the witness
	needed   = 3 // conflicting steps do
	together = 4 // the two accesses wait for each other
)

// The states of a step, and of a goroutine.
const (
	arrived = 1
	passed  = 2
	done    = 3

	lives = 1
	ended = 2
)

// variant is how a schedule is tried.
type variant struct {
	swap  bool   // the second access first
	level uint64 // how loose it is from the start
	limit int64  // nanoseconds without a step after which it is loosened
	// for a debugger: it is never loosened, and says where both goroutines are before their
	// accesses
	hold bool
	// accesses of outside code are not held: it is written down which memory they are of (RP2)
	looks bool
}

// encode writes the schedule. Steps are numbered by goroutine; perm[k] is the number of steps[k].
func (s *schedule) encode(v variant) (data []byte, perm []uint64) {
	all := slices.Concat(s.steps, s.stops)
	perm = make([]uint64, len(all))
	first := make([]uint64, len(s.gates)+1)
	for _, st := range all {
		first[st.gate+1]++
	}
	for i := range s.gates {
		first[i+1] += first[i]
	}
	next := append([]uint64(nil), first...)
	for k, st := range all {
		perm[k] = next[st.gate]
		next[st.gate]++
	}
	words := make([]uint64, hdrWords, hdrWords+gateWords*len(s.gates)+stWord*len(all))
	feeds, from := s.feedWords()
	for i, g := range s.gates {
		words = append(words, g.parent, g.ordinal, first[i], first[i+1]-first[i], 0, g.number, from[i], from[i+1]-from[i], 0, 0, 0, 0, 0, 0)
	}
	steps := len(words)
	words = append(words, make([]uint64, stWord*len(all))...)
	preds := len(words)
	for k := range all {
		st := &all[k]
		from := len(words) - preds
		for _, p := range s.predsOf(k, v) {
			words = append(words, perm[p.step]|p.level<<56)
		}
		w := words[steps+stWord*int(perm[k]):]
		w[stepSite], w[stepSkip], w[stepGate], w[stepChoice] = uint64(st.site)|uint64(st.flags)<<32, st.skip, uint64(st.gate), st.choice
		w[stepPreds] = uint64(from) | uint64(len(words)-preds-from)<<32
		w[stepPlace] = st.place.key()
		if st.pair >= 0 {
			w[stepPair] = perm[st.pair] + 1
			if v.looks || s.apart && v.level < strict {
				w[stepSite] &^= held << 32
			}
		}
	}
	copy(words, []uint64{magic, fileVersion, 0, uint64(len(s.gates)), uint64(len(all)), uint64(len(words) - preds), uint64(len(s.marks)), uint64(v.limit), v.level})
	kids := s.children()
	words[hdrChildren] = uint64(len(kids) / 2)
	s.feedHeader(words, v)
	if n := len(s.steps); !v.looks && (s.apart && v.level < strict || s.isOutside()) {
		words[hdrApart] = perm[s.steps[n-1].pair] + 1
	}
	words[hdrLooks] = map[bool]uint64{true: 1}[v.looks]
	words = append(append(append(words, kids...), feeds...), make([]uint64, 2*logWords)...)
	data = make([]byte, 8*len(words), 8*len(words)+len(s.marks))
	for i, w := range words {
		binary.LittleEndian.PutUint64(data[8*i:], w)
	}
	return append(data, s.marks...), perm
}

// predsOf are the steps before step k. The last two steps are the pair: of these, v says which is
// first.
func (s *schedule) predsOf(k int, v variant) []pred {
	n := len(s.steps)
	if k >= n {
		return nil
	}
	if s.apart && v.level < strict || !v.swap || k < n-2 {
		return s.steps[k].preds
	}
	other := 2*n - 3 - k
	var out []pred
	for _, p := range append(append([]pred(nil), s.steps[k].preds...), s.steps[other].preds...) {
		if p.step < n-2 {
			out = append(out, p)
		}
	}
	if k == n-2 {
		out = append(out, pred{n - 1, together})
	}
	return out
}

// children is the hash table by which a goroutine finds its gate: from its parent's, what it is
// started by, and how many the parent has started by that before.
func (s *schedule) children() []uint64 {
	type slot struct{ key, value uint64 }
	var slots []slot
	counted := map[uint64]bool{}
	for i, g := range s.gates {
		if g.parent == 0 || g.parent > uint64(len(s.gates)) {
			continue
		}
		slots = append(slots, slot{childKey(g.parent, g.key, g.ordinal+1), uint64(i) + 1})
		if c := childKey(g.parent, g.key, 0); !counted[c] {
			counted[c] = true
			slots = append(slots, slot{c, 0})
		}
	}
	size := uint64(1)
	for size < 2*uint64(len(slots)) {
		size *= 2
	}
	table := make([]uint64, 2*size)
	for _, sl := range slots {
		i := sl.key % size
		for table[2*i] != 0 {
			i = (i + 1) % size
		}
		table[2*i], table[2*i+1] = sl.key, sl.value
	}
	return table
}

// childKey is a slot's key; it is not 0.
func childKey(parent, key, n uint64) uint64 {
	return mix(mix(mix(parent*golden)+key)+n) | 1
}

const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// nameHash is the hash of a function's name by which a goroutine that the runtime starts is known.
func nameHash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// state is what a program has left in the file of its schedule.
type state struct {
	pid, level uint64
	passed     uint64
	stalls     []stall
	gates      []uint64 // by gate: state
	fed        []fed    // by gate
	steps      []stepStateOf
	values     []uint64 // of the pair
	first      []where  // by gate: where the goroutine was at the first stall
	last       []where  // and at the last one
	missed     uint64   // accesses of outside code that could not be held
	logs       [2][]span
}

// span is memory.
type span struct{ addr, size uint64 }

type stall struct {
	level  uint64
	passed uint64 // how many steps had passed
	step   int    // that waited, by order of the schedule; -1: the end of the program
}

type stepStateOf struct{ at, state, order, time, addr, size uint64 }

func readState(name string, perm []uint64) (*state, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the schedule: %w", err)
	}
	word := func(i uint64) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	s := &state{pid: word(hdrPid), level: word(hdrLevel), passed: word(hdrSequence)}
	inverse := make(map[uint64]int, len(perm))
	for k, i := range perm {
		inverse[i] = k
	}
	for i := uint64(0); i < min(word(hdrStalls), maxStalls); i++ {
		at := word(hdrStalls + 1 + 2*i)
		st := stall{level: at & 0xff, passed: at >> 8, step: -1}
		if k, ok := inverse[word(hdrStalls+2+2*i)-1]; ok {
			st.step = k
		}
		s.stalls = append(s.stalls, st)
	}
	base := uint64(hdrWords)
	for i := range word(hdrGates) {
		g := base + gateWords*i
		s.gates = append(s.gates, word(g+gateState))
		s.fed = append(s.fed, fed{n: word(g + gateFed), odd: word(g + gateOdd), id: word(g + gateID)})
		s.first, s.last = append(s.first, where(word(g+gateStall))), append(s.last, where(word(g+gateLast)))
	}
	for i := range uint64(pairWords) {
		s.values = append(s.values, word(hdrValues+i))
	}
	s.missed = word(hdrMissed)
	logs := (uint64(len(data))-word(hdrSites))/8 - 2*logWords
	for k := range s.logs {
		from := logs + uint64(k)*logWords
		for i := range min(word(from), logged) {
			s.logs[k] = append(s.logs[k], span{word(from + 1 + 2*i), word(from + 2 + 2*i)})
		}
	}
	base += gateWords * word(hdrGates)
	for _, i := range perm {
		w := base + stWord*i
		s.steps = append(s.steps, stepStateOf{i, word(w + stepState), word(w + stepOrder), word(w + stepTime), word(w + stepAddr), word(w + stepSize)})
	}
	return s, nil
}

// gate is a goroutine of the schedule.
type gate struct {
	g      trace.GoID
	parent uint64 // gate of the parent + 1, 0: the runtime
	// what its parent starts it by: the go statement's site; of code without gates: hash of the
	// function
	key uint64
	// among the children of its parent with this key; of the runtime's: hash of the function
	ordinal uint64
	number  uint64 // the runtime's, in the recorded run: its random numbers are made of it
}
