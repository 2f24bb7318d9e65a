package witness

import "github.com/presage-race/presage/internal/predict/model"

// Run executes order, and no race after it.
func Run(w *model.Window, order []int32) error {
	s, err := newState(w)
	if err != nil {
		return err
	}
	for _, i := range order {
		if err := s.step(i, model.Pair{A: -1, B: -1}); err != nil {
			return err
		}
	}
	return nil
}
