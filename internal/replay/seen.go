package replay

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Seen is what was at the address of an access before it and after it.
type Seen struct {
	Goroutine trace.GoID `json:"goroutine"`
	// the runtime's number of the goroutine, as in a dump or under delve
	RunID   uint64 `json:"run_id"`
	Kind    string `json:"kind"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Address uint64 `json:"address,omitempty"`
	Size    uint64 `json:"size,omitempty"`
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
}

// Text says what an access reads or writes.
func (s Seen) Text() string {
	what := "at an address that is not known beforehand"
	switch {
	case s.Before == "":
		if s.Address != 0 {
			what = fmt.Sprintf("at %#x", s.Address)
		}
	case s.Kind == format.Write.String():
		what = fmt.Sprintf("%s over %s, at %#x", s.After, s.Before, s.Address)
	default:
		what = fmt.Sprintf("%s, at %#x", s.Before, s.Address)
	}
	return fmt.Sprintf("goroutine %d (in Go's dumps %d): %s %s (%s:%d)", s.Goroutine, s.RunID, s.Kind, what, filepath.Base(s.File), s.Line)
}

// saw notes what the two accesses of the pair read and wrote.
func (p *Program) saw(t *Try, s *schedule, st *state, a, b int) {
	words := [2]int{a, b}
	if a > b {
		words = [2]int{b, a}
	}
	first, second := words[0], words[1]
	if st.steps[second].order > 0 && st.steps[second].order < st.steps[first].order {
		first, second = second, first
	}
	for _, k := range []int{first, second} {
		x := &st.steps[k]
		if x.state < done {
			continue
		}
		step := &s.steps[k]
		at := p.passage(s, k, 0)
		seen := Seen{Goroutine: at.Goroutine, RunID: st.fed[step.gate].id, Kind: at.Kind, File: at.File, Line: at.Line, Address: x.addr, Size: x.size}
		if what := p.sites[step.site]; what != nil && what.Type != "" && x.addr != 0 {
			from := st.values[2*valueWords*st.which(k, a, b):]
			seen.Before = valueText(what.Type, from[:valueWords], x.size)
			seen.After = valueText(what.Type, from[valueWords:2*valueWords], x.size)
		}
		t.Saw = append(t.Saw, seen)
	}
}

// which is the place of an access of the pair among the values: that of the lower number in the
// file comes first.
func (st *state) which(k, a, b int) int {
	other := a
	if k == a {
		other = b
	}
	if st.steps[k].at > st.steps[other].at {
		return 1
	}
	return 0
}

// valueText writes n bytes, of which there are at most valueWords words.
func valueText(typ string, words []uint64, n uint64) string {
	w := words[0]
	bits := int(8 * min(n, 8))
	switch {
	case n == 0:
		return "nothing"
	case n > 8 && typ == stringType && n == 16:
		return fmt.Sprintf("a string of %s at %#x", plural.Of(int64(words[1]), "byte"), w)
	case n > 8:
		text := ""
		for i := range (min(n, 8*valueWords) + 7) / 8 {
			text += fmt.Sprintf(" %#x", words[i])
		}
		if n > 8*valueWords {
			text += fmt.Sprintf(" and %s more", plural.Of(n-8*valueWords, "byte"))
		}
		return text[1:]
	case typ == boolType:
		return strconv.FormatBool(w&0xff != 0)
	case typ == floatType && n == 4:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(w))), 'g', -1, 32)
	case typ == floatType:
		return strconv.FormatFloat(math.Float64frombits(w), 'g', -1, 64)
	case typ == signedType:
		return strconv.FormatInt(int64(w<<(64-bits))>>(64-bits), 10)
	case typ == unsignedType:
		return strconv.FormatUint(w, 10)
	case w == 0:
		return "nil or 0"
	}
	return fmt.Sprintf("%#x", w)
}

// strayed says where a goroutine asked for something else than it is fed next.
func (s *schedule) strayed(gate int, st *state, meta *trace.Meta) string {
	if odd := st.fed[gate].odd; odd != 0 && int(odd-1) < len(meta.Sites) {
		return "; it had left its recorded path when it came to the call at " + place(meta, trace.Site(odd-1))
	}
	return ""
}
