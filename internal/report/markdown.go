package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/presage-race/presage/internal/plural"
)

// markdownHandler writes a page for a pull request or the summary of a job.
type markdownHandler struct{ gathered }

// NewMarkdown returns a Handler that writes a table of the findings, and all of each one below it,
// folded.
func NewMarkdown(w io.Writer, o TextOptions) Handler { return &markdownHandler{gathered{w: w, o: o}} }

// Summary writes all of the report.
func (h *markdownHandler) Summary(m *Summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## presage: %s\n\n%s\n", plural.Of(len(h.findings), "finding"), markdownText(h.outcome(m)))
	if len(h.findings) > 0 {
		b.WriteString("\n| on | proof | one access | other access | ID |\n|---|---|---|---|---|\n")
	}
	for _, f := range h.findings {
		fmt.Fprintf(&b, "| %s | %s | %s %s | %s %s | `%s` |\n", markdownText(nameOf(f.Object, &f.A)), f.level(), f.A.Kind, markdownText(h.place(f.A.Position)), f.B.Kind, markdownText(h.place(f.B.Position)), f.ID)
	}
	for _, f := range h.findings {
		text := h.whole(f)
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n%s\n%s\n\n</details>\n", markdownText(h.sentence(f)), fence, text, fence)
	}
	for i, w := range h.warnings {
		if i == 0 {
			b.WriteString("\nNot covered:\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", markdownText(w.Text))
	}
	_, err := io.WriteString(h.w, b.String())
	return err
}

var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]", "\\", "\\\\", "\n", " ")

// markdownText escapes what has a meaning in Markdown, in its tables and in HTML.
func markdownText(s string) string { return markdownEscapes.Replace(s) }
