package witness

import "github.com/presage-race/presage/internal/predict/model"

// A Sight is the value that a read of an execution returns, and where it comes from.
type Sight struct {
	Read  int32
	Value uint64
	Known bool
	Write int32 // the write, send or update that left it; -1: none of the execution
}

// Sights executes a witness that Check accepts once more, and returns what its reads return, in
// their order. It is for reports.
func Sights(w *model.Window, p model.Pair, order []int32) ([]Sight, error) {
	s, err := newState(w)
	if err != nil {
		return nil, err
	}
	var list []Sight
	for _, i := range order {
		if err := s.step(i, p); err != nil {
			return nil, err
		}
		if isRead(w.Events[i].Kind) {
			x := s.seen[i]
			list = append(list, Sight{i, x.val, x.known, x.by})
		}
	}
	return list, nil
}
