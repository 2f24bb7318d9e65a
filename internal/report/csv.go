package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/untrusted/visible"
)

// csvHandler writes a row for each message but config and progress. A field beside what the message
// has is empty.
type csvHandler struct {
	Ignore
	w *csv.Writer
}

// csvRow is one row. Its message is the kind, as in the JSON form. A warning has its code as id;
// the count of the summary is the number of races and of warnings of the static lens. Without its
// row of the summary a report was cut short.
type csvRow struct {
	message, tier, id string
	count             int
	object            string
	a, b              Access
	trace, text       string
}

// NewCSV returns a Handler that writes comma-separated values with a header. Its fields are such
// that a terminal does not obey them (visible.Line) and a spreadsheet takes none for a formula.
func NewCSV(w io.Writer, _ TextOptions) Handler { return &csvHandler{w: csv.NewWriter(w)} }

// Config writes the header.
func (h *csvHandler) Config(*Config) error {
	return h.write("message", "tier", "id", "count", "object",
		"a_kind", "a_expr", "a_func", "a_file", "a_line", "a_col", "b_kind", "b_expr", "b_func", "b_file", "b_line", "b_col", "trace", "text")
}

// Warning writes what the result does not cover.
func (h *csvHandler) Warning(m *Warning) error {
	return h.row(csvRow{message: "warning", id: m.Code, count: m.Count, text: m.Text})
}

// Race writes a race.
func (h *csvHandler) Race(m *Race) error { return h.finding(m.finding()) }

// Candidate writes a candidate.
func (h *csvHandler) Candidate(m *Candidate) error { return h.finding(m.finding()) }

// StaticWarning writes a warning of the static lens; Text is its likelihood.
func (h *csvHandler) StaticWarning(m *StaticWarning) error { return h.finding(m.finding()) }

func (h *csvHandler) finding(f *finding) error {
	return h.row(csvRow{"race", string(f.Tier), f.ID, f.Count, f.Object, f.A, f.B, f.Trace, f.Likelihood})
}

// Suppressed writes a suppressed race; Text is what suppresses it.
func (h *csvHandler) Suppressed(m *Suppressed) error {
	f := m.Race.finding()
	return h.row(csvRow{"suppressed", string(f.Tier), f.ID, f.Count, f.Object, f.A, f.B, f.Trace, m.why(Position.String)})
}

// Guard writes a suggestion; Text is the lock, and Count the uses that hold it.
func (h *csvHandler) Guard(m *Guard) error {
	return h.row(csvRow{message: "guard", count: m.Held, object: m.Memory, a: Access{Position: m.Position}, text: m.Lock})
}

// Summary writes the last row.
func (h *csvHandler) Summary(m *Summary) error {
	r := csvRow{message: "summary", count: m.Races}
	if m.Vet != nil {
		r.count += m.Vet.Warnings
	}
	return h.row(r)
}

func (h *csvHandler) row(r csvRow) error {
	fields := []string{r.message, r.tier, r.id, strconv.Itoa(r.count), r.object}
	for _, a := range []*Access{&r.a, &r.b} {
		fields = append(fields, a.Kind, a.Expr, a.Func, a.File, positive(a.Line), positive(a.Col))
	}
	return h.write(append(fields, r.trace, r.text)...)
}

// positive is a number, empty if it is 0.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (h *csvHandler) write(fields ...string) error {
	for i, f := range fields {
		f = visible.Line(f)
		if f != "" && strings.ContainsRune("=+-@\t", rune(f[0])) { // a formula
			f = "'" + f
		}
		fields[i] = f
	}
	h.w.Write(fields)
	h.w.Flush()
	return h.w.Error()
}
