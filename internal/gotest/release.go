package gotest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/report"
)

// End prints what is held, with races. What comes later is passed on. A second call does nothing.
func (s *Stream) End(races []*report.Race) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return s.err
	}
	for _, r := range races {
		s.place(r)
	}
	for _, p := range s.order {
		s.release(p)
	}
	s.over = true
	if len(s.rest) > 0 {
		s.print(s.rest)
	}
	return s.err
}

// place gives a race to its tests, or to a package.
func (s *Stream) place(r *report.Race) {
	placed := false
	for _, in := range r.In() {
		p := s.packages[in.Package]
		if p == nil {
			continue
		}
		p.take(r, in)
		placed = true
	}
	if placed {
		return
	}
	path := r.Package()
	p := s.packages[path]
	if p == nil {
		if p = s.only(); p == nil {
			p = s.add(path)
		}
	}
	p.take(r, report.Test{})
}

// take gives a race to a test, or to the package if it has no such test.
func (p *pkg) take(r *report.Race, in report.Test) {
	p.fails = true
	runs := slices.DeleteFunc(slices.Clone(p.tests), func(t *test) bool { return t.name != in.Name })
	if len(runs) == 0 {
		if !slices.Contains(p.races, r) {
			p.races = append(p.races, r)
		}
		return
	}
	t := runs[min(max(in.Run, 1), len(runs))-1]
	t.races = append(t.races, r)
	for ; t != nil; t = t.in {
		t.fails = true
	}
}

// only returns the package of a stream that has one.
func (s *Stream) only() *pkg {
	if len(s.order) == 1 {
		return s.order[0]
	}
	return nil
}

// add adds a package to the stream.
func (s *Stream) add(path string) *pkg {
	if path == "" {
		path = "command-line-arguments" // as the go command calls what has no path
	}
	p := &pkg{path: path}
	s.packages[path] = p
	s.order = append(s.order, p)
	s.say(p, nil, made{Action: "start"})
	return p
}

// release prints what is held of a package.
func (s *Stream) release(p *pkg) {
	var last *event
	for _, e := range p.held {
		last = e
		if e.ends() {
			s.before(p, e)
			p.rewrite(e)
		}
		if s.pass(p, e); e.ended() && e.test != nil {
			e.test.ended = true
		} else if e.ended() {
			p.ended = true
		}
	}
	p.held = nil
	if s.beforeEnd(p, last); p.fails && !p.ended {
		s.say(p, last, made{Action: "output", Output: "FAIL\t" + p.path + "\t0.000s\n"})
		s.say(p, last, made{Action: "fail", Elapsed: new(float64)})
	}
}

// ended reports whether an event is the end of a test or of a package.
func (e *event) ended() bool {
	return e.Action == "pass" || e.Action == "fail" || e.Action == "skip"
}

// before prints what stands in front of an end.
func (s *Stream) before(p *pkg, e *event) {
	if e.test == nil {
		s.beforeEnd(p, e)
	} else {
		s.tell(p, e, e.test)
	}
}

// tell prints the races of a test.
func (s *Stream) tell(p *pkg, at *event, t *test) {
	if t.told {
		return
	}
	if t.told = true; len(t.races) > 0 {
		s.texts(p, at, t.name, t.races)
	}
}

// beforeEnd prints what stands in front of the end of a package: failures of tests that have not
// ended, subtests first, and races of no test.
func (s *Stream) beforeEnd(p *pkg, at *event) {
	if p.told {
		return
	}
	p.told = true
	for _, t := range slices.Backward(p.tests) {
		if !t.fails || t.ended || t.ends(p) {
			continue
		}
		s.tell(p, at, t)
		s.say(p, at, made{Action: "output", Test: t.name, Output: "--- FAIL: " + t.name + " (0.00s)\n"})
		s.say(p, at, made{Action: "fail", Test: t.name, Elapsed: new(float64)})
	}
	if len(p.races) > 0 {
		s.texts(p, at, "", p.races)
	}
}

// ends reports whether the end of a test is held.
func (t *test) ends(p *pkg) bool {
	return slices.ContainsFunc(p.held, func(e *event) bool { return e.test == t && e.ended() })
}

// texts prints races as output of a test, or of the package if test is "".
func (s *Stream) texts(p *pkg, at *event, test string, races []*report.Race) {
	if p.last != test {
		s.say(p, at, made{Action: "output", Test: test, Output: "=== NAME  " + test + "\n"})
	}
	for line := range strings.Lines(strings.TrimRight(s.text(races), "\n") + "\n") {
		if strings.HasPrefix(line, "DATA RACE") {
			line = "WARNING: " + line
		}
		s.say(p, at, made{Action: "output", Test: test, Output: line})
	}
}

// rewrite makes an end a failure, if the test or the package has a race.
func (p *pkg) rewrite(e *event) {
	change := func(old, new string) {
		e.line = bytes.Replace(e.line, []byte(old), []byte(new), 1)
	}
	fails := p.fails
	if e.test != nil {
		fails = e.test.fails
	}
	switch {
	case !fails:
	case e.ended():
		change(`"Action":"`+e.Action+`"`, `"Action":"fail"`)
	case e.test != nil:
		change("--- PASS: ", "--- FAIL: ")
		change("--- SKIP: ", "--- FAIL: ")
	default:
		change(`"Output":"PASS\n"`, `"Output":"FAIL\n"`)
		change(`"Output":"ok  \t`, `"Output":"FAIL\t`)
	}
}

// made is an event that go test has not printed, with its fields in the order of go test.
type made struct {
	Time    json.RawMessage `json:",omitempty"`
	Action  string
	Package string
	Test    string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"`
	Output  string   `json:",omitempty"`
}

// say prints an event of its own, with the time of the one behind it, if that is known.
func (s *Stream) say(p *pkg, at *event, m made) {
	if m.Package = p.path; at != nil {
		m.Time = at.Time
	}
	line, err := json.Marshal(m)
	if err != nil {
		panic("gotest: an event that is not JSON: " + err.Error())
	}
	if s.print(append(line, '\n')); m.Action == "output" {
		p.last = m.Test
	}
}

// Handler returns a Handler of a report that calls End with its races.
func (s *Stream) Handler() report.Handler { return &handler{stream: s} }

type handler struct {
	report.Ignore
	stream *Stream
	races  []*report.Race
}

// Race keeps a race.
func (h *handler) Race(r *report.Race) error {
	h.races = append(h.races, r)
	return nil
}

// Summary prints the races.
func (h *handler) Summary(*report.Summary) error { return h.stream.End(h.races) }
