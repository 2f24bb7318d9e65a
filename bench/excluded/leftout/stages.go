package leftout

import (
	"fmt"
	"strings"
	"time"
)

// stages is how long the stages of an experiment took, which is printed as progress.
type stages struct {
	last  time.Time
	under string // the current stage; "": not known
	names []string
	took  map[string]time.Duration
}

func newStages() *stages { return &stages{last: time.Now(), took: map[string]time.Duration{}} }

// mark says that a stage has ended, which began when the one before it ended.
func (s *stages) mark(name string) {
	s.end(name)
	s.under = ""
}

// begins begins a stage and ends the current one.
func (s *stages) begins(name string) {
	s.end("")
	s.under = name
}

func (s *stages) end(name string) {
	if s.under != "" {
		name = s.under
	}
	if name == "" {
		return
	}
	if _, ok := s.took[name]; !ok {
		s.names = append(s.names, name)
	}
	now := time.Now()
	s.took[name] += now.Sub(s.last)
	s.last = now
}

func (s *stages) String() string {
	var list []string
	for _, n := range s.names {
		list = append(list, fmt.Sprintf("%s %.1f s", n, s.took[n].Seconds()))
	}
	return strings.Join(list, ", ")
}
