package report

import (
	"encoding/xml"
	"fmt"
	"io"
)

// junitHandler writes the form of JUnit's XML that CI servers read.
type junitHandler struct{ gathered }

// NewJUnit returns a Handler that writes one test suite: a failed test for each race, a skipped one
// for what is none for sure, and one for the search itself, which is an error if nothing was
// searched.
func NewJUnit(w io.Writer, o TextOptions) Handler { return &junitHandler{gathered{w: w, o: o}} }

type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      junitOut    `xml:"system-out"`
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
}

type junitOut struct {
	Text string `xml:",cdata"`
}

// Summary writes all of the report.
func (h *junitHandler) Summary(m *Summary) error {
	s := junitSuite{Name: "presage", Time: fmt.Sprintf("%.3f", m.Seconds)}
	for _, f := range h.findings {
		file, _ := h.relative(f.A.File)
		c := junitCase{Class: "presage." + string(f.Tier), Name: fmt.Sprintf("%s %s", nameOf(f.Object, &f.A), f.ID), File: file, Line: f.A.Line}
		text := &junitText{h.sentence(f), f.level(), h.whole(f)}
		switch f.Tier {
		case tierCandidate, tierWarning:
			c.Skipped = text
			s.Skipped++
		default:
			c.Failure = text
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	for _, x := range h.suppressed {
		f := x.Race.finding()
		file, _ := h.relative(f.A.File)
		s.Cases = append(s.Cases, junitCase{Class: "presage.suppressed", Name: fmt.Sprintf("%s %s", nameOf(f.Object, &f.A), f.ID), File: file, Line: f.A.Line,
			Skipped: &junitText{"suppressed by " + x.why(h.place), string(x.By), h.sentence(f)}})
		s.Skipped++
	}
	search := junitCase{Class: "presage", Name: "search"}
	if m.ExitCode == 1 {
		search.Error = &junitText{h.outcome(m), "search", ""}
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
