package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// htmlPage is the data of the page of NewHTML. What occurs often is in tables, and others have its
// number: texts, frames, and the steps of schedules without the numbers of their events.
type htmlPage struct {
	Title    string         `json:"title"`
	Outcome  string         `json:"outcome"` // the last line of the text form
	About    string         `json:"about"`   // what made the report
	Warnings []string       `json:"warnings"`
	Guards   []string       `json:"guards"`
	Findings [][]*htmlRace  `json:"findings"`
	Texts    []string       `json:"texts"`  // number 0 is ""
	Frames   [][4]int       `json:"frames"` // function and file, which are texts; line, column
	Lines    []htmlLine     `json:"lines"`
	texts    map[string]int // numbers in the tables
	frames   map[[4]int]int
	lines    map[htmlLine]int
	left     int // bytes that the steps of schedules may still take
	reports  int // and those of the race detector
}

// htmlLine is a step without the number of its event: goroutine, frame, text, operation, source
// line, locks held, and whether it is off the recorded path. All but the first and the last are
// numbers of a table.
type htmlLine [7]int

// htmlEvent is a line with the number of its event.
type htmlEvent [2]int64

// htmlRace is a race, a candidate or a warning of the static lens. A finding has several races.
type htmlRace struct {
	ID      string          `json:"id"`
	Tier    string          `json:"tier"`
	Proof   string          `json:"proof"` // the tier without the replay
	Name    int             `json:"name"`  // a text
	Test    int             `json:"test"`
	Package int             `json:"package"`
	Count   int             `json:"count"`
	A       htmlAccess      `json:"a"`
	B       htmlAccess      `json:"b"`
	Why     string          `json:"why"`             // -race does not see it
	Notes   []string        `json:"notes,omitempty"` // more about it
	Lanes   []htmlLane      `json:"lanes,omitempty"`
	Order   []htmlEdge      `json:"order,omitempty"` // that hides it
	Steps   []int64         `json:"steps,omitempty"` // line and event, in turns; see steps
	Omitted int             `json:"omitted,omitempty"`
	Cut     int             `json:"cut,omitempty"`      // steps that the page leaves out
	Events  int             `json:"events,omitempty"`   // of the schedule
	Keeps   string          `json:"keeps,omitempty"`    // what it keeps of the recorded run
	Run     bool            `json:"recorded,omitempty"` // the recorded run is the schedule
	Reads   []htmlRead      `json:"reads,omitempty"`
	Paths   []htmlDeparture `json:"paths,omitempty"`
	Replay  *htmlReplay     `json:"replay,omitempty"`
	Command []string        `json:"commands,omitempty"`
}

type htmlAccess struct {
	Kind    string   `json:"kind"`
	What    int      `json:"what"` // a text
	At      int      `json:"at"`   // a frame
	Source  int      `json:"source"`
	Who     int      `json:"who"`
	Parent  int      `json:"parent,omitempty"`
	Event   int64    `json:"event"`
	Off     bool     `json:"off,omitempty"`
	Stack   []int    `json:"stack,omitempty"`
	Created []int    `json:"created,omitempty"`
	Locks   []string `json:"locks"` // null: not known
}

// htmlLane is a goroutine of the picture. Side is a or b for that of an access.
type htmlLane struct {
	ID   int    `json:"id"`
	Name int    `json:"name"` // a text
	Side string `json:"side,omitempty"`
}

type htmlEdge struct {
	From   htmlEvent `json:"from"`
	To     htmlEvent `json:"to"`
	Broken bool      `json:"broken,omitempty"`
	How    string    `json:"how,omitempty"` // the schedule breaks it
}

type htmlRead struct {
	Event htmlEvent  `json:"event"`
	Sees  string     `json:"sees"`
	Fork  bool       `json:"fork,omitempty"`
	From  *htmlEvent `json:"from,omitempty"`
}

type htmlDeparture struct {
	Text   string `json:"text"`
	At     int    `json:"at"`
	Source string `json:"source,omitempty"`
}

type htmlReplay struct {
	Text   string `json:"text"`
	Report string `json:"report,omitempty"`
}

const (
	htmlName    = 300     // runes of a text
	htmlShort   = 160     // of a name in the plain list
	htmlSteps   = 3 << 19 // bytes for the steps of all schedules
	htmlLeast   = 20      // steps that a schedule has in any case
	htmlReports = 1 << 19 // bytes for what the race detector has reported
)

// clip shortens a text, and says so.
func clip(s string, most int) string {
	if n := utf8.RuneCountInString(s) - most; n > 0 {
		return string([]rune(s)[:most]) + fmt.Sprintf("… (%s more)", plural.Of(n, "character"))
	}
	return s
}

// page makes the data of the page. Findings come in the order of the text form.
func (h *htmlHandler) page(m *Summary) *htmlPage {
	p := &htmlPage{
		Outcome: h.outcome(m), About: h.about(), Warnings: []string{}, Guards: h.guards, Findings: [][]*htmlRace{},
		texts: map[string]int{}, frames: map[[4]int]int{}, lines: map[htmlLine]int{}, left: htmlSteps, reports: htmlReports,
	}
	p.text("")
	for _, w := range h.warnings {
		p.Warnings = append(p.Warnings, clip(w.Text, 4*htmlName))
	}
	var races []*Race
	for _, f := range h.findings {
		if f.Tier != tierCandidate && f.Tier != tierWarning {
			races = append(races, f.race())
		}
	}
	t := newTextHandler(io.Discard, TextOptions{Dir: h.o.Dir})
	for _, g := range Group(races) {
		var finding []*htmlRace
		for _, r := range g {
			finding = append(finding, h.race(p, t, r))
		}
		p.Findings = append(p.Findings, finding)
	}
	for _, f := range h.findings {
		if f.Tier == tierCandidate || f.Tier == tierWarning {
			p.Findings = append(p.Findings, []*htmlRace{h.other(p, t, f)})
		}
	}
	p.Title = plural.Of(len(p.Findings), "finding")
	return p
}

// about says what made the report.
func (h *htmlHandler) about() string {
	c := &h.config
	parts := []string{strings.Join(c.Command, " "), c.Dir, strings.TrimSpace(c.Tool + " " + c.Version), c.GoVersion}
	return clip(visible.Line(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")), htmlName)
}

// text returns the number of a text.
func (p *htmlPage) text(s string) int {
	n, ok := p.texts[s]
	if !ok {
		n = len(p.Texts)
		p.texts[s] = n
		p.Texts = append(p.Texts, clip(s, htmlName))
	}
	return n
}

// frame returns the number of a place in a function.
func (h *htmlHandler) frame(p *htmlPage, fn string, at Position) int {
	if at.File != "" {
		at.File, _ = h.relative(at.File)
	}
	f := [4]int{p.text(fn), p.text(at.File), at.Line, at.Col}
	n, ok := p.frames[f]
	if !ok {
		n = len(p.Frames)
		p.frames[f] = n
		p.Frames = append(p.Frames, f)
	}
	return n
}

func (h *htmlHandler) stack(p *htmlPage, fs []Frame) (frames []int) {
	for _, f := range fs {
		frames = append(frames, h.frame(p, f.Func, f.Position))
	}
	return frames
}

// event returns a step by the numbers of its line and its event.
func (h *htmlHandler) event(p *htmlPage, s *Step) htmlEvent {
	off := 0
	if s.OffPath {
		off = 1
	}
	l := htmlLine{s.Goroutine, h.frame(p, s.Func, s.Position), p.text(s.Text), p.text(operation(s.Text)), p.text(s.Source), p.text(strings.Join(s.Held, ", ")), off}
	n, ok := p.lines[l]
	if !ok {
		n = len(p.Lines)
		p.lines[l] = n
		p.Lines = append(p.Lines, l)
	}
	return htmlEvent{int64(n), s.Event}
}

// fits takes the bytes of a step from those that are left, and reports whether there are enough.
// A step whose line is in the table already takes few.
func (p *htmlPage) fits(s *Step) bool {
	n := 12
	if _, ok := p.texts[s.Text]; !ok {
		n += 60 + len(s.Text)
	}
	if _, ok := p.texts[s.Source]; !ok {
		n += 60 + len(s.Source)
	}
	p.left -= n
	return p.left >= 0
}

// access is an access in full.
func (h *htmlHandler) access(p *htmlPage, t *textHandler, a *Access) htmlAccess {
	out := htmlAccess{
		Kind: a.Kind, What: p.text(accessed(a)), At: h.frame(p, a.Func, a.Position), Source: p.text(a.Source), Who: p.text(briefName(a.Goroutine)),
		Parent: a.Goroutine.Parent, Event: a.Event, Off: a.OffPath, Stack: h.stack(p, a.Stack), Created: h.stack(p, a.Goroutine.Created),
	}
	if a.Locks != nil {
		out.Locks = []string{}
	}
	for i, l := range a.Locks {
		text := t.lockList(a.Locks[i : i+1])
		if l.File == "" {
			text = heldNames(a.Locks[i : i+1])
		}
		out.Locks = append(out.Locks, clip(text, htmlName))
	}
	return out
}
