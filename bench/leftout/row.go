package main

import "encoding/json"

// saved is a row as -o writes it.
type saved struct {
	Events, Calls, Gone, Escaped, Races, Left int
	Found                                     [engines][2]int // right, wrong
	Missed                                    map[string]int
}

func (r row) MarshalJSON() ([]byte, error) {
	s := saved{r.events, r.calls, r.gone, r.escaped, r.races, r.left, [engines][2]int{}, r.missed}
	for i, f := range r.found {
		s.Found[i] = [2]int{f.right, f.wrong}
	}
	return json.Marshal(s)
}

func (r *row) UnmarshalJSON(data []byte) error {
	var s saved
	err := json.Unmarshal(data, &s)
	*r = row{events: s.Events, calls: s.Calls, gone: s.Gone, escaped: s.Escaped, races: s.Races, left: s.Left, missed: s.Missed}
	for i, f := range s.Found {
		r.found[i].right, r.found[i].wrong = f[0], f[1]
	}
	return err
}
