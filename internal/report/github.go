package report

import (
	"fmt"
	"io"
	"strings"
)

// githubHandler writes workflow commands, which GitHub Actions shows as annotations of the source.
type githubHandler struct{ gathered }

// NewGitHub returns a Handler that writes a workflow command of GitHub Actions for each finding: an
// error for a race, a warning for one of the static lens, a notice for a candidate. A notice has
// the outcome.
func NewGitHub(w io.Writer, o TextOptions) Handler { return &githubHandler{gathered{w: w, o: o}} }

// Summary writes all of the report.
func (h *githubHandler) Summary(m *Summary) error {
	var b strings.Builder
	for _, f := range h.findings {
		command := "error"
		switch f.Tier {
		case tierCandidate:
			command = "notice"
		case tierWarning:
			command = "warning"
		}
		at := ""
		if file, ok := h.relative(f.A.File); ok && f.A.Line > 0 {
			at = fmt.Sprintf("file=%s,line=%d,", githubProperty(file), f.A.Line)
			if f.A.Col > 0 {
				at += fmt.Sprintf("col=%d,", f.A.Col)
			}
		}
		title := fmt.Sprintf("race on %s (%s)", nameOf(f.Object, &f.A), f.level())
		fmt.Fprintf(&b, "::%s %stitle=%s::%s\n", command, at, githubProperty(title), githubData(h.sentence(f)+"\n"+h.whole(f)))
	}
	fmt.Fprintf(&b, "::notice title=presage::%s\n", githubData(h.outcome(m)))
	_, err := io.WriteString(h.w, b.String())
	return err
}

var (
	githubEscapes    = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperties = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// githubData escapes the text of a command.
func githubData(s string) string { return githubEscapes.Replace(s) }

// githubProperty escapes the value of a property of a command.
func githubProperty(s string) string { return githubProperties.Replace(s) }
