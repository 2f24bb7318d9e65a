package predict

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/trace"
)

// maxConfirm bounds the pairs of one pass.
const maxConfirm = 1024

// Confirm reads the trace once more, for the pairs that hb found unordered and that have no
// witness. Where the checker finds a pair unordered as well, the recorded run is the witness (PR5):
// the pair moves from res.Unwitnessed to res.Races. The others are counted. open opens the trace at
// its beginning, once for every maxConfirm pairs.
//
// Only traces that presage has recorded are confirmed. The meaning of the events in other traces is
// not known well enough.
func Confirm(open func() (trace.Source, io.Closer, error), meta *trace.Meta, res *Result) error {
	if meta == nil || meta.Source != "presage" {
		return nil
	}
	var left []hb.Race
	for list := range slices.Chunk(res.Unwitnessed, maxConfirm) {
		refused, err := confirm(open, res, list)
		if err != nil {
			return err
		}
		left = append(left, refused...)
	}
	res.confirmed(left)
	return nil
}

// confirm is one pass. It returns the pairs that the checker refuses.
func confirm(open func() (trace.Source, io.Closer, error), res *Result, list []hb.Race) (refused []hb.Race, err error) {
	src, c, err := open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	pairs := make([]witness.RecordedPair, len(list))
	for k, h := range list {
		pairs[k] = witness.RecordedPair{A: h.A.Index, B: h.B.Index, Addr: h.Addr}
	}
	w := witness.NewRecorded(pairs)
	var e trace.Event
	for i := int64(0); w.Wants(); i++ {
		if err := src.Next(&e); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, err
		}
		w.Step(i, &e)
	}
	for k, h := range list {
		if w.Err(k) != nil {
			refused = append(refused, h)
			continue
		}
		res.Races = append(res.Races, Race{
			A: Access{h.A.Index, h.A.G, h.A.Site}, B: Access{h.B.Index, h.B.G, h.B.Site},
			Tier: Observed, Recorded: true, Order: []int64{h.A.Index, h.B.Index}, Count: h.Count,
		})
	}
	return refused, nil
}

// confirmed updates the result: the pairs in left have no witness.
func (res *Result) confirmed(left []hb.Race) {
	res.Counts.Confirmed = int64(len(res.Unwitnessed) - len(left))
	res.Unwitnessed = left
	res.Warnings = slices.DeleteFunc(res.Warnings, func(w trace.Warning) bool { return w.Code == UnwitnessedCode })
	res.warnUnwitnessed()
	res.sort()
}

func (res *Result) sort() {
	slices.SortStableFunc(res.Races, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.B.Index, b.B.Index), cmp.Compare(a.A.Index, b.A.Index))
	})
}
