package analyse

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"presage/internal/footprint"
	"presage/internal/hb"
	"presage/internal/trace"
	"presage/internal/witness"
)

// maxConfirm bounds the pairs that one pass looks at.
const maxConfirm = 256

// Confirm goes through the trace once more, for the pairs that hb found unordered and that have no witness: of those that
// the checker finds unordered, too, the recorded run is the witness (A6). They move from res.Unwitnessed to res.Races.
//
// Only traces that presage recorded are looked at: what the events of others stand for is not known well enough.
func Confirm(src trace.Source, meta *trace.Meta, res *Result) error {
	list := res.Unwitnessed[:min(len(res.Unwitnessed), maxConfirm)]
	if meta == nil || meta.Source != "presage" || len(list) == 0 {
		return nil
	}
	pairs := make([]witness.RecordedPair, len(list))
	for k, h := range list {
		pairs[k] = witness.RecordedPair{A: h.A.Index, B: h.B.Index, Addr: h.Addr}
	}
	w := witness.NewRecorded(pairs, quiet(meta))
	var e trace.Event
	var inside insides
	for i := int64(0); w.Wants(); i++ {
		if err := src.Next(&e); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return err
		}
		inside.place(&e)
		w.Step(i, &e)
	}
	var left []hb.Race
	for k, h := range res.Unwitnessed {
		if k >= len(list) || w.Err(k) != nil {
			left = append(left, h)
			continue
		}
		res.Races = append(res.Races, Race{
			A: Access{h.A.Index, h.A.G, h.A.Site}, B: Access{h.B.Index, h.B.G, h.B.Site},
			Tier: Observed, Recorded: true, Order: []int64{h.A.Index, h.B.Index}, Count: h.Count,
		})
	}
	res.confirmed(left)
	return nil
}

// quiet returns which calls order nothing for other goroutines but by what the trace has of them: they touch no memory that others can
// reach; or they are functions of the table of package footprint that keep no hidden state, call nothing that only the run knows, and reach nothing
// but memory of the types that the call names. What these do to memory orders nothing, and what they synchronise with (sort.Slice with nothing, json.Marshal
// with a cache, a sync.Pool with itself) are operations of package sync and the like, which have events wherever they are called. What is not in
// the table may get to cgo, assembly or a file, and what is given an interface may write to one: others may look for that in a way that the trace does not have.
func quiet(meta *trace.Meta) func(trace.Site) bool {
	return func(s trace.Site) bool {
		if int(s) >= len(meta.Sites) || meta.Sites[s].Touch == "" {
			return false
		}
		set := footprint.Parse(meta.Sites[s].Touch)
		return set.State == "" && set.Sees == footprint.NoGoroutines && (set.Effect == footprint.None || !set.Dynamic && set.Scope == footprint.Named)
	}
}

// confirmed leaves the pairs in left without a witness.
func (res *Result) confirmed(left []hb.Race) {
	res.Counts.Confirmed = int64(len(res.Unwitnessed) - len(left))
	res.Unwitnessed = left
	res.Warnings = slices.DeleteFunc(res.Warnings, func(w trace.Warning) bool { return w.Code == unwitnessedCode })
	res.warnUnwitnessed()
	res.sort()
}

func (res *Result) sort() {
	slices.SortStableFunc(res.Races, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.B.Index, b.B.Index), cmp.Compare(a.A.Index, b.A.Index))
	})
}
