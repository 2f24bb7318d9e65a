package trace

import "strconv"

// SiteInfo returns what stands at s. It is safe for any s: a trace that was cut
// short has events whose sites its Meta does not list.
func (m *Meta) SiteInfo(s Site) SiteInfo {
	if int64(s) < int64(len(m.Sites)) {
		return m.Sites[s]
	}
	return SiteInfo{File: -1, Instr: -1}
}

// Program returns the files, functions and sites of the instrumented packages, without those of
// outside code.
func (m *Meta) Program() ([]File, []Func, []SiteInfo) {
	if o := m.Outside; o != nil {
		// the trace may be somebody else's
		within := func(n, most int) int { return max(0, min(n, most)) }
		return m.Files[:within(o.Files, len(m.Files))], m.Funcs[:within(o.Funcs, len(m.Funcs))], m.Sites[:within(o.Sites, len(m.Sites))]
	}
	return m.Files, m.Funcs, m.Sites
}

// Position returns s as file:line:col, or the name the position has in a
// converted trace, or "" if nothing is known.
func (m *Meta) Position(s Site) string {
	i := m.SiteInfo(s)
	if i.Name != "" || i.File < 0 || int(i.File) >= len(m.Files) || i.Line == 0 {
		return i.Name
	}
	p := m.Files[i.File].Name + ":" + strconv.Itoa(int(i.Line))
	if i.Col != 0 {
		p += ":" + strconv.Itoa(int(i.Col))
	}
	return p
}

// GoName returns the name of goroutine g: its own if it has one, else g and its number.
func (m *Meta) GoName(g GoID) string {
	if g >= 0 && int(g) < len(m.Goroutines) && m.Goroutines[g].Name != "" {
		return m.Goroutines[g].Name
	}
	return "g" + strconv.Itoa(int(g))
}

// Warn counts n more cases of the warning with the given code; text is what the
// warning says when it is new. Nothing is added for n = 0.
func (m *Meta) Warn(code string, n int, text string) {
	if n == 0 {
		return
	}
	for i := range m.Warnings {
		if m.Warnings[i].Code == code {
			m.Warnings[i].Count += n
			return
		}
	}
	m.Warnings = append(m.Warnings, Warning{Code: code, Count: n, Text: text})
}

// Source is a stream of events with the tables that explain them. Next returns
// io.EOF after the last event. Meta is complete once Next has returned io.EOF;
// for a file opened with Open it is complete from the start.
type Source interface {
	Next(e *Event) error
	Meta() *Meta
}

// Sink takes events in trace order.
type Sink interface {
	Write(e *Event) error
}
