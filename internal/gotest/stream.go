package gotest

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/presage-race/presage/internal/report"
)

// Stream takes the standard output of go test -json, and prints it with races.
type Stream struct {
	w    io.Writer
	text Text

	mu       sync.Mutex
	rest     []byte // a line that has not ended
	packages map[string]*pkg
	order    []*pkg // as the stream begins them
	over     bool
	err      error // of the first write that failed
}

// Text returns the text of races for the output of a test.
type Text func(races []*report.Race) string

// New returns a Stream that prints to w.
func New(w io.Writer, text Text) *Stream {
	return &Stream{w: w, text: text, packages: make(map[string]*pkg)}
}

// pkg is a package in the stream.
type pkg struct {
	path  string
	tests []*test          // all runs, in the order of their beginnings
	now   map[string]*test // the last run of each test
	last  string           // the test of the last output that was printed
	held  []*event
	races []*report.Race // of no test
	fails bool           // it has a race
	told  bool           // what stands in front of its end is printed
	ended bool
}

// test is one run of a test.
type test struct {
	name  string
	in    *test // the test that it is a subtest of; nil: none
	races []*report.Race
	fails bool // it has a race, or a subtest has one
	told  bool // its races are printed
	ended bool
}

// event is a line of the stream.
type event struct {
	line []byte
	test *test // nil: it is of the package

	Time    json.RawMessage
	Action  string
	Package string
	Test    string
	Output  string
}

// Write takes what go test prints. It fails if an earlier line could not be printed.
func (s *Stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, p...)
	for {
		line, rest, ended := bytes.Cut(s.rest, []byte("\n"))
		if !ended {
			return len(p), s.err
		}
		s.line(append(bytes.Clone(line), '\n'))
		s.rest = append(s.rest[:0], rest...)
	}
}

// line takes a line.
func (s *Stream) line(line []byte) {
	e := &event{line: line}
	if err := json.Unmarshal(line, e); err != nil || e.Package == "" || s.over {
		s.print(line)
		return
	}
	p := s.packages[e.Package]
	if p == nil {
		p = &pkg{path: e.Package, now: make(map[string]*test)}
		s.packages[e.Package] = p
		s.order = append(s.order, p)
	}
	if e.Test != "" {
		e.test = p.now[e.Test]
		if e.test == nil || e.Action == "run" {
			e.test = p.begin(e.Test)
		}
	}
	if p.held == nil && !e.ends() {
		s.pass(p, e)
		return
	}
	p.held = append(p.held, e)
}

// begin begins a run of a test.
func (p *pkg) begin(name string) *test {
	t := &test{name: name}
	for in := name; t.in == nil; {
		slash := strings.LastIndexByte(in, '/')
		if slash < 0 {
			break
		}
		in = in[:slash]
		t.in = p.now[in]
	}
	p.tests, p.now[name] = append(p.tests, t), t
	return t
}

// ends reports whether an event is the end of a test or of a package, or the line in front of it.
func (e *event) ends() bool {
	switch e.Action {
	case "pass", "fail", "skip":
		return true
	case "output":
		if e.Test == "" {
			return e.Output == "PASS\n" || e.Output == "FAIL\n" || strings.HasPrefix(e.Output, "ok  \t") || strings.HasPrefix(e.Output, "FAIL\t")
		}
		line := strings.TrimLeft(e.Output, " ")
		for _, how := range []string{"PASS", "FAIL", "SKIP"} {
			if strings.HasPrefix(line, "--- "+how+": "+e.Test+" (") {
				return true
			}
		}
	}
	return false
}

// print prints a line.
func (s *Stream) print(line []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(line)
	}
}

// pass prints an event of a package.
func (s *Stream) pass(p *pkg, e *event) {
	if s.print(e.line); e.Action == "output" {
		p.last = e.Test
	}
}
