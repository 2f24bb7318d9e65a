package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/presage-race/presage/internal/untrusted/trust"
)

// line is one line of the JSON form: exactly one field is set.
type line struct {
	Config     *Config         `json:"config,omitempty"`
	Progress   *Progress       `json:"progress,omitempty"`
	Warning    *Warning        `json:"warning,omitempty"`
	Race       *finding        `json:"race,omitempty"`
	Guard      *Guard          `json:"guard,omitempty"`
	Suppressed *suppressedLine `json:"suppressed,omitempty"`
	Summary    *Summary        `json:"summary,omitempty"`
}

// finding is the JSON form of a race, a candidate or a warning of the static lens. Its tier says
// which of the three it is.
type finding struct {
	Race
	// Path is the first of Race.Paths: v1.0 had no others.
	Path       *Path    `json:"path,omitempty"`
	Likelihood string   `json:"likelihood,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
	Vet        *Vet     `json:"vet,omitempty"`
}

// The tiers in the JSON form of what is no race.
const (
	tierCandidate Tier = "candidate"
	tierWarning   Tier = "warning"
)

func (r *Race) finding() *finding {
	f := &finding{Race: *r}
	if len(r.Paths) > 0 {
		f.Path = r.Paths[0]
	}
	return f
}

// race returns the race. A report of v1.0 has its path in Path alone.
func (f *finding) race() *Race {
	if len(f.Paths) == 0 && f.Path != nil {
		f.Paths = []*Path{f.Path}
	}
	return &f.Race
}

func (c *Candidate) finding() *finding {
	return &finding{Race: Race{ID: c.ID, Tier: tierCandidate, A: c.A, B: c.B, Object: c.Object, Hidden: c.Hidden, Count: c.Count, Trace: c.Trace}}
}

func (w *StaticWarning) finding() *finding {
	return &finding{
		Race:       Race{ID: w.ID, Tier: tierWarning, A: w.A, B: w.B, Object: w.Object, Count: w.Count},
		Likelihood: w.Likelihood, Reasons: w.Reasons, Vet: &w.Vet,
	}
}

func (f *finding) candidate() *Candidate {
	return &Candidate{ID: f.ID, A: f.A, B: f.B, Object: f.Object, Hidden: f.Hidden, Count: f.Count, Trace: f.Trace}
}

func (f *finding) staticWarning() *StaticWarning {
	w := &StaticWarning{ID: f.ID, A: f.A, B: f.B, Object: f.Object, Count: f.Count, Likelihood: f.Likelihood, Reasons: f.Reasons}
	if f.Vet != nil {
		w.Vet = *f.Vet
	}
	return w
}

// UnmarshalJSON reads one line of the JSON form.
func (m *Message) UnmarshalJSON(data []byte) error {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return err
	}
	*m = Message{Config: l.Config, Progress: l.Progress, Warning: l.Warning, Guard: l.Guard, Suppressed: l.Suppressed.suppressed(), Summary: l.Summary}
	switch f := l.Race; {
	case f == nil:
	case f.Tier == tierCandidate:
		m.Candidate = f.candidate()
	case f.Tier == tierWarning:
		m.StaticWarning = f.staticWarning()
	default:
		m.Race = f.race()
	}
	return nil
}

type jsonHandler struct{ enc *json.Encoder }

// NewJSON returns a Handler that writes one JSON object a line.
func NewJSON(w io.Writer) Handler {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &jsonHandler{enc}
}

func (h *jsonHandler) Config(m *Config) error     { return h.enc.Encode(line{Config: m}) }
func (h *jsonHandler) Progress(m *Progress) error { return h.enc.Encode(line{Progress: m}) }
func (h *jsonHandler) Warning(m *Warning) error   { return h.enc.Encode(line{Warning: m}) }
func (h *jsonHandler) Race(m *Race) error         { return h.enc.Encode(line{Race: m.finding()}) }
func (h *jsonHandler) Candidate(m *Candidate) error {
	return h.enc.Encode(line{Race: m.finding()})
}
func (h *jsonHandler) StaticWarning(m *StaticWarning) error {
	return h.enc.Encode(line{Race: m.finding()})
}
func (h *jsonHandler) Guard(m *Guard) error { return h.enc.Encode(line{Guard: m}) }
func (h *jsonHandler) Suppressed(m *Suppressed) error {
	return h.enc.Encode(line{Suppressed: m.line()})
}
func (h *jsonHandler) Summary(m *Summary) error { return h.enc.Encode(line{Summary: m}) }

// HandleJSON reads the JSON form and calls h for every message.
func HandleJSON(r io.Reader, h Handler) error {
	dec := json.NewDecoder(afterMark(r))
	for n := 1; ; n++ {
		var m Message
		if err := dec.Decode(&m); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading message %d of the report: %w", n, err)
		}
		if err := m.send(h); err != nil {
			return err
		}
	}
}

// afterMark skips a byte-order mark, which some editors write.
func afterMark(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\ufeff" {
		b.Discard(len(mark))
	}
	return b
}

// send calls the method of h for the one field that is set. A message of a later version of the
// protocol sets no field that this version knows; it is skipped.
func (m *Message) send(h Handler) error {
	switch {
	case m.Config != nil:
		if len(m.Config.Protocol) < 3 || m.Config.Protocol[:3] != "v1." {
			return fmt.Errorf("report of protocol version %q: this presage reads v1", m.Config.Protocol)
		}
		return h.Config(m.Config)
	case m.Progress != nil:
		return h.Progress(m.Progress)
	case m.Warning != nil:
		return h.Warning(m.Warning)
	case m.Race != nil:
		return ifNamed(m.Race.ID, func() error { return h.Race(m.Race) })
	case m.Candidate != nil:
		return ifNamed(m.Candidate.ID, func() error { return h.Candidate(m.Candidate) })
	case m.StaticWarning != nil:
		return ifNamed(m.StaticWarning.ID, func() error { return h.StaticWarning(m.StaticWarning) })
	case m.Guard != nil:
		return h.Guard(m.Guard)
	case m.Suppressed != nil:
		return ifNamed(m.Suppressed.Race.ID, func() error { return h.Suppressed(m.Suppressed) })
	case m.Summary != nil:
		return h.Summary(m.Summary)
	}
	return nil
}

// ifNamed calls send if id may become part of a file name.
func ifNamed(id string, send func() error) error {
	if id != "" && !trust.Name(id) {
		return fmt.Errorf("%q is not the ID of a race", id)
	}
	return send()
}
