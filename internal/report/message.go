package report

import "errors"

// ProtocolVersion is the version of the JSON form. Fields may be added within v1;
// a change that breaks a reader makes it v2.
const ProtocolVersion = "v1.1.0"

// Message is one message of a report: exactly one field is set. Its JSON form is one line of a
// report (json.go).
type Message struct {
	Config        *Config
	Progress      *Progress
	Warning       *Warning
	Race          *Race
	Candidate     *Candidate
	StaticWarning *StaticWarning
	Guard         *Guard
	Suppressed    *Suppressed
	Summary       *Summary
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

// Progress says what presage does at the moment. It is not part of the result.
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
	// not predicted, but seen in a run under a schedule that presage chose
	Replayed    int `json:"replayed,omitempty"`
	Confirmed   int `json:"confirmed,omitempty"`   // by a replay
	Unconfirmed int `json:"unconfirmed,omitempty"` // replayed, and not confirmed
	// not replayed, for lack of time or because the program could not be run again
	Unreplayed int   `json:"unreplayed,omitempty"`
	Traces     int   `json:"traces"`
	Events     int64 `json:"events"`
	Goroutines int   `json:"goroutines"`
	Windows    int   `json:"windows"`
	Candidates int   `json:"candidates"` // pairs that the engine has tried
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
	// the part of the run that was searched; nil in a report of an earlier version or of vet
	Coverage *Coverage  `json:"coverage,omitempty"`
	Paths    *Paths     `json:"paths,omitempty"`      // at level path
	Vet      *Vetted    `json:"vet,omitempty"`        // of presage vet
	OnTheFly *OnTheFly  `json:"on_the_fly,omitempty"` // of presage analyze -engine
	Static   *Marks     `json:"static,omitempty"`     // of test and run with -static
	Explored []Explored `json:"explored,omitempty"`   // of presage explore
	Stages   []Stage    `json:"stages,omitempty"`     // the time and memory of each stage
	// races that were found and are not among Races; nil: there are none, and no baseline
	Suppressed *Suppressions `json:"suppressed,omitempty"`
	// the packages of which all tests were run, recorded and searched
	Whole []string `json:"whole_packages,omitempty"`
}

// Count adds a race to the counts by tier.
func (s *Summary) Count(r *Race) {
	s.Races++
	if r.Tier == Replayed {
		s.Replayed++
		s.Predicted++
		return
	}
	if r.Tier == Confirmed {
		s.Confirmed++
	}
	if r.Proof() == Observed {
		s.Observed++
	} else {
		s.Predicted++
	}
	switch r.Proof() {
	case ByValue:
		s.ByValue++
	case ByPath:
		s.ByPath++
	}
}

// Handler receives the messages of a report in order: Config, then any mixture of the others, then
// Summary.
type Handler interface {
	Config(*Config) error
	Progress(*Progress) error
	Warning(*Warning) error
	Race(*Race) error
	Candidate(*Candidate) error
	StaticWarning(*StaticWarning) error
	Guard(*Guard) error
	Suppressed(*Suppressed) error
	Summary(*Summary) error
}

// Ignore is a Handler that does nothing. A Handler that needs few messages embeds it.
type Ignore struct{}

// Config does nothing.
func (Ignore) Config(*Config) error { return nil }

// Progress does nothing.
func (Ignore) Progress(*Progress) error { return nil }

// Warning does nothing.
func (Ignore) Warning(*Warning) error { return nil }

// Race does nothing.
func (Ignore) Race(*Race) error { return nil }

// Candidate does nothing.
func (Ignore) Candidate(*Candidate) error { return nil }

// StaticWarning does nothing.
func (Ignore) StaticWarning(*StaticWarning) error { return nil }

// Guard does nothing.
func (Ignore) Guard(*Guard) error { return nil }

// Suppressed does nothing.
func (Ignore) Suppressed(*Suppressed) error { return nil }

// Summary does nothing.
func (Ignore) Summary(*Summary) error { return nil }

// Tee returns a Handler that passes every message to all of hs.
func Tee(hs ...Handler) Handler { return tee(hs) }

type tee []Handler

func (t tee) Config(m *Config) error       { return each(t, Handler.Config, m) }
func (t tee) Progress(m *Progress) error   { return each(t, Handler.Progress, m) }
func (t tee) Warning(m *Warning) error     { return each(t, Handler.Warning, m) }
func (t tee) Race(m *Race) error           { return each(t, Handler.Race, m) }
func (t tee) Candidate(m *Candidate) error { return each(t, Handler.Candidate, m) }
func (t tee) StaticWarning(m *StaticWarning) error {
	return each(t, Handler.StaticWarning, m)
}
func (t tee) Guard(m *Guard) error { return each(t, Handler.Guard, m) }
func (t tee) Suppressed(m *Suppressed) error {
	return each(t, Handler.Suppressed, m)
}
func (t tee) Summary(m *Summary) error { return each(t, Handler.Summary, m) }

// each passes m to the method take of every Handler.
func each[M any](t tee, take func(Handler, M) error, m M) error {
	var errs []error
	for _, h := range t {
		errs = append(errs, take(h, m))
	}
	return errors.Join(errs...)
}
