package witness

import "fmt"

// enterOrders records which conditional orders each event is part of.
func (s *state) enterOrders() error {
	if len(s.w.Orders) == 0 {
		return nil
	}
	s.given, s.at = make([][]int32, len(s.w.Events)), make([]int32, len(s.w.Events))
	for k, c := range s.w.Orders {
		for _, i := range []int32{c.If, c.From, c.To} {
			if i < 0 || int(i) >= len(s.w.Events) {
				return &Violation{Rule: "X", Event: -1, Reason: fmt.Sprintf("conditional order %d→%d if %d has no events", c.From, c.To, c.If)}
			}
			s.given[i] = append(s.given[i], int32(k))
		}
	}
	return nil
}

// ordered checks (MO9) after event i, the last one so far.
func (s *state) ordered(i int32) error {
	if s.given == nil {
		return nil
	}
	s.ticks++
	s.at[i] = s.ticks
	for _, k := range s.given[i] {
		c := s.w.Orders[k]
		if s.done[c.If] && s.done[c.From] && s.done[c.To] && s.at[c.To] < s.at[c.From] {
			return s.violation("MO9", i, "event %d must come before event %d if %d is executed", c.From, c.To, c.If)
		}
	}
	return nil
}
