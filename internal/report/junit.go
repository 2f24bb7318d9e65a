package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
)

// junitHandler writes the form of JUnit's XML that CI servers read.
type junitHandler struct{ gathered }

// NewJUnit returns a Handler that writes one test suite. A test that raced is a failed test of its
// own name and package, with all its races; so a race of two tests is in both. A race of no test is
// a failed test named for its memory, and what is no race for sure a skipped one. One more is the
// search itself, which is an error if nothing was searched.
func NewJUnit(w io.Writer, o TextOptions) Handler { return &junitHandler{gathered{w: w, o: o}} }

type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Cases    []*junitCase `xml:"testcase"`
	Out      junitOut     `xml:"system-out"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	File    string     `xml:"file,attr,omitempty"`
	Line    int        `xml:"line,attr,omitempty"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`

	first string // its message without those that were added,
	more  int    // of so many
}

type junitOut struct {
	Text string `xml:",cdata"`
}

// testsOf returns the tests that a finding is shown as.
func (h *junitHandler) testsOf(f *finding) []Test {
	name := fmt.Sprintf("%s %s", nameOf(f.Object, &f.A), f.ID)
	if f.Tier == tierCandidate || f.Tier == tierWarning {
		return []Test{{Name: name}}
	}
	var list []Test
	for _, t := range f.In() {
		if t.Run = 0; t.Name == "" {
			t.Name = name
		}
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if list == nil {
		return []Test{{Name: name}}
	}
	return list
}

// junitCase is the first finding of a test.
func (h *junitHandler) junitCase(f *finding, t Test, text *junitText) *junitCase {
	file, _ := h.relative(f.A.File)
	c := &junitCase{Class: cmp.Or(t.Package, "presage."+string(f.Tier)), Name: t.Name, File: file, Line: f.A.Line}
	if f.Tier == tierCandidate || f.Tier == tierWarning {
		c.Skipped = text
	} else {
		c.Failure = text
	}
	return c
}

// add adds another race of the test.
func (t *junitText) add(more *junitText) {
	if t.more++; t.more == 1 {
		t.first = t.Message
	}
	t.Message = fmt.Sprintf("%s; and %d more", t.first, t.more)
	t.Text += "\n\n" + more.Text
}

// Summary writes all of the report.
func (h *junitHandler) Summary(m *Summary) error {
	s := junitSuite{Name: "presage", Time: fmt.Sprintf("%.3f", m.Seconds)}
	of := map[Test]*junitCase{}
	for _, f := range h.findings {
		text := &junitText{Message: h.sentence(f), Type: f.level(), Text: h.whole(f)}
		for _, t := range h.testsOf(f) {
			if c := of[t]; c != nil {
				c.Failure.add(text)
				continue
			}
			c := h.junitCase(f, t, text)
			if c.Failure != nil {
				of[t] = c
			}
			s.Cases = append(s.Cases, c)
		}
	}
	for _, x := range h.suppressed {
		f := x.Race.finding()
		file, _ := h.relative(f.A.File)
		s.Cases = append(s.Cases, &junitCase{Class: "presage.suppressed", Name: fmt.Sprintf("%s %s", nameOf(f.Object, &f.A), f.ID), File: file, Line: f.A.Line,
			Skipped: &junitText{Message: "suppressed by " + x.why(h.place), Type: string(x.By), Text: h.sentence(f)}})
	}
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		} else {
			s.Skipped++
		}
	}
	search := &junitCase{Class: "presage", Name: "search"}
	if m.ExitCode == 1 {
		search.Error = &junitText{Message: h.outcome(m), Type: "search"}
		s.Errors++
	}
	s.Cases = append(s.Cases, search)
	s.Tests = len(s.Cases)
	for _, w := range h.warnings {
		s.Out.Text += fmt.Sprintf("warning: %s\n", w.Text)
	}
	s.Out.Text += h.outcome(m)
	data, err := xml.MarshalIndent(junitSuites{Suite: s}, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(h.w, "%s%s\n", xml.Header, data)
	return err
}
