package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/presage-race/presage/internal/untrusted/trust"
)

// ProtocolVersion is the version of the JSON form. Fields may be added within v1;
// a change that breaks a reader makes it v2.
const ProtocolVersion = "v1.0.0"

// Message is one line of the JSON form: exactly one field is set.
type Message struct {
	Config   *Config   `json:"config,omitempty"`
	Progress *Progress `json:"progress,omitempty"`
	Warning  *Warning  `json:"warning,omitempty"`
	Race     *Race     `json:"race,omitempty"`
	Guard    *Guard    `json:"guard,omitempty"`
	Summary  *Summary  `json:"summary,omitempty"`
}

// Config is the first message: what made the report.
type Config struct {
	Protocol  string   `json:"protocol_version"`
	Tool      string   `json:"tool"`
	Version   string   `json:"version"`
	GoVersion string   `json:"go_version,omitempty"`
	Command   []string `json:"command,omitempty"` // as the user gave it
	Dir       string   `json:"dir,omitempty"`
	Level     string   `json:"level"`  // which races are looked for
	Window    int      `json:"window"` // events; 0: the default
}

// Progress says what is being done. It is not part of the result.
type Progress struct {
	Text  string `json:"text"`
	Done  int64  `json:"done,omitempty"`
	Total int64  `json:"total,omitempty"` // 0: unknown
}

// Warning is a counted statement of what the result does not cover.
type Warning struct {
	Code  string `json:"code"` // stable, kebab-case
	Count int    `json:"count"`
	Text  string `json:"text"`
}

// Summary is the last message.
type Summary struct {
	Races     int `json:"races"`
	Observed  int `json:"observed"`
	Predicted int `json:"predicted"` // of the other tiers, too
	ByValue   int `json:"by_value,omitempty"`
	ByPath    int `json:"by_path,omitempty"`
	// not predicted, but seen in a run under a schedule that was tried
	Replayed    int `json:"replayed,omitempty"`
	Confirmed   int `json:"confirmed,omitempty"`   // by a replay
	Unconfirmed int `json:"unconfirmed,omitempty"` // replayed, and not confirmed
	// not replayed: the time for it was over, or the program could not be run again
	Unreplayed int   `json:"unreplayed,omitempty"`
	Traces     int   `json:"traces"`
	Events     int64 `json:"events"`
	Goroutines int   `json:"goroutines"`
	Windows    int   `json:"windows"`
	Candidates int   `json:"candidates"` // pairs the engine was asked about
	Undecided  int   `json:"undecided"`  // pairs on which a budget ran out
	// pairs of positions, for each trace, whose accesses have neither a common lock nor a fixed
	// order
	Promising int `json:"promising,omitempty"`
	Settled   int `json:"settled,omitempty"` // of these: a race, or all accesses decided
	Warnings  int `json:"warnings"`
	// of the analysis; 0 for presage vet, whose report does not depend on time
	Seconds      float64 `json:"seconds"`
	ExitCode     int     `json:"exit_code"`            // of presage
	ProgramCode  int     `json:"program_exit_code"`    // of the program under test
	Instrumented int     `json:"instrumented"`         // functions
	Functions    int     `json:"functions"`            // functions chosen for instrumentation
	TraceFile    string  `json:"trace_file,omitempty"` // or directory, if there are several
	// how much the answer rests on; nil: a report of an earlier version, or of vet
	Coverage *Coverage `json:"coverage,omitempty"`
	Paths    *Paths    `json:"paths,omitempty"`      // at level path
	Vet      *Vetted   `json:"vet,omitempty"`        // of presage vet
	OnTheFly *OnTheFly `json:"on_the_fly,omitempty"` // of presage analyze -engine
	Static   *Marks    `json:"static,omitempty"`     // of test and run with -static
	Stages   []Stage   `json:"stages,omitempty"`     // what the command took, stage by stage
}

// Handler receives the messages of a report in order: Config, then Progress, Warning
// and Race in any mixture, then Summary.
type Handler interface {
	Config(*Config) error
	Progress(*Progress) error
	Warning(*Warning) error
	Race(*Race) error
	Summary(*Summary) error
}

type jsonHandler struct{ enc *json.Encoder }

// NewJSON returns a Handler that writes one JSON object a line.
func NewJSON(w io.Writer) Handler {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &jsonHandler{enc}
}

func (h *jsonHandler) Config(m *Config) error     { return h.enc.Encode(Message{Config: m}) }
func (h *jsonHandler) Progress(m *Progress) error { return h.enc.Encode(Message{Progress: m}) }
func (h *jsonHandler) Warning(m *Warning) error   { return h.enc.Encode(Message{Warning: m}) }
func (h *jsonHandler) Race(m *Race) error         { return h.enc.Encode(Message{Race: m}) }
func (h *jsonHandler) Summary(m *Summary) error   { return h.enc.Encode(Message{Summary: m}) }

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

// send calls the method of h for the one field that is set. A message of a later
// version of the protocol has none that we know: it is skipped.
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
		if id := m.Race.ID; id != "" && !trust.Name(id) {
			return fmt.Errorf("%q is not the ID of a race", id)
		}
		return h.Race(m.Race)
	case m.Guard != nil:
		if g, ok := h.(GuardHandler); ok {
			return g.Guard(m.Guard)
		}
	case m.Summary != nil:
		return h.Summary(m.Summary)
	}
	return nil
}

// Tee returns a Handler that passes every message to all of hs.
func Tee(hs ...Handler) Handler { return tee(hs) }

type tee []Handler

func (t tee) Config(m *Config) error { return t.each(func(h Handler) error { return h.Config(m) }) }
func (t tee) Progress(m *Progress) error {
	return t.each(func(h Handler) error { return h.Progress(m) })
}
func (t tee) Warning(m *Warning) error { return t.each(func(h Handler) error { return h.Warning(m) }) }
func (t tee) Race(m *Race) error       { return t.each(func(h Handler) error { return h.Race(m) }) }
func (t tee) Guard(m *Guard) error {
	return t.each(func(h Handler) error {
		if g, ok := h.(GuardHandler); ok {
			return g.Guard(m)
		}
		return nil
	})
}
func (t tee) Summary(m *Summary) error { return t.each(func(h Handler) error { return h.Summary(m) }) }

func (t tee) each(f func(Handler) error) error {
	var errs []error
	for _, h := range t {
		errs = append(errs, f(h))
	}
	return errors.Join(errs...)
}
