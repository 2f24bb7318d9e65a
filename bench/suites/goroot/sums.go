package goroot

import "fmt"

// sums are the results of all programs.
type sums struct {
	known              map[string]string
	outcomes           map[string]int
	programs, excepted int
	events, mismatches int64
	walked, cut        int
	opaque             int
	bad                int
}

// add counts a program, and prints what is wrong with it.
func (s *sums) add(r *result, verbose bool) {
	s.programs++
	s.outcomes[r.Outcome]++
	s.events, s.mismatches, s.opaque = s.events+r.Events, s.mismatches+r.Mismatches, s.opaque+r.Opaque
	if r.Events > 0 {
		s.walked++
	}
	if r.Cut {
		s.cut++
	}
	wrong := r.Outcome == differs || r.Mismatches > 0
	switch reason := s.known[r.Name]; {
	case wrong && reason != "":
		s.excepted++
		fmt.Printf("%s: %s, listed: %s\n", r.Name, r.Outcome, reason)
	case wrong:
		s.bad++
		fmt.Printf("%s: %s %s, %d mismatches %s\n", r.Name, r.Outcome, r.Detail, r.Mismatches, r.Mismatch)
	case verbose || r.Outcome != same:
		fmt.Printf("%s: %s %s\n", r.Name, r.Outcome, r.Detail)
	}
}

// print prints the sums and returns the exit code.
func (s *sums) print() int {
	fmt.Printf("%d programs: %d the same, %d differ (%d of them listed), %d vary without presage, %d do not build without it, %d do not end\n",
		s.programs, s.outcomes[same], s.outcomes[differs], s.excepted, s.outcomes[varies], s.outcomes[unbuilt], s.outcomes[slow])
	fmt.Printf("%d walked, %d of them only to event %d: %d events, %d mismatches; %d functions left as written\n",
		s.walked, s.cut, mostEvents, s.events, s.mismatches, s.opaque)
	if s.bad > 0 {
		return 1
	}
	return 0
}
