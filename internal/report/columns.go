package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/presage-race/presage/internal/plural"
)

// witness draws the interleaving: the two goroutines of the race in two columns, time
// going down, other goroutines across both.
func (h *textHandler) witness(r *Race) {
	w := r.Witness
	left, right := r.A.Goroutine, r.B.Goroutine
	if w.Semantics == RecordedRun {
		h.printf("\n  %s\n\n", apart)
	} else {
		h.printf("\n  A schedule that exposes the race (%s).\n  %s\n\n", plural.Of(len(w.Order), "event"), judgement(w.Semantics, r.Paths))
	}
	col := (h.o.Width - 4 - 3) / 2
	h.row(col, h.head.Sprint, goroutineName(left), goroutineName(right))
	steps := w.Steps[max(0, len(w.Steps)-shownSteps):]
	if n := w.Omitted + len(w.Steps) - len(steps); n > 0 {
		h.printf("    %s\n", h.dim.Sprintf("… %s before", plural.Of(n, "step")))
	}
	before, off := "", false
	for i, s := range steps {
		text := h.stepLine(s)
		if i >= len(steps)-2 {
			text = "► " + text
		}
		if s.OffPath {
			text, off = "+ "+text, true
		}
		if row := fmt.Sprint(s.Goroutine, text); row == before { // two events of one source line
			continue
		} else {
			before = row
		}
		switch s.Goroutine {
		case left.ID:
			h.row(col, nil, text, "")
		case right.ID:
			h.row(col, nil, "", text)
		default:
			h.printf("    %s\n", h.dim.Sprintf("goroutine %d: %s", s.Goroutine, text))
		}
	}
	if off {
		h.printf("    %s\n", h.dim.Sprint("+ off the recorded path: the recorded run does not do this here"))
	}
}

// apart says what a witness has to say that is the recorded run itself.
const apart = "The recorded run itself is the schedule. What kept the two accesses apart is no synchronisation:\n" +
	"  the length of a channel, the default of a select, a lock that was not free, other code, or time."

// judgement says what a witness keeps of the recorded run.
func judgement(semantics string, paths []*Path) string {
	if len(paths) > 0 {
		return "Reads may see other values; every branch goes as recorded" + leaving(paths) + "."
	}
	switch semantics {
	case "strict":
		return "Every read sees its recorded write."
	case "value":
		return "Every read sees its recorded value."
	case "needed":
		return "Every read that a branch or an address depends on sees its recorded value."
	case "evaluated":
		return "Reads may see other values; every branch goes as recorded."
	}
	return "Reads: " + semantics + "."
}

// leaving says which goroutines leave their paths before the recorded run has ended.
func leaving(paths []*Path) string {
	var left []string
	for _, p := range paths {
		if !p.Ended {
			left = append(left, fmt.Sprint(p.Goroutine))
		}
	}
	switch len(left) {
	case 0:
		return ""
	case 1:
		return ", until goroutine " + left[0] + " leaves its path"
	}
	return ", until goroutines " + enumerate(left) + " leave their paths"
}

// enumerate writes a list of two or more as "a, b and c".
func enumerate(list []string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// stepLine is a step with its line number, and the source line where it is known.
func (h *textHandler) stepLine(s Step) string {
	text := s.Text
	if s.Source != "" {
		text = s.Source
	}
	file := s.File[strings.LastIndexByte(s.File, '/')+1:]
	if s.Line == 0 {
		return text
	}
	return fmt.Sprintf("%s:%d %s", file, s.Line, text)
}

func (h *textHandler) row(width int, paint func(...any) string, left, right string) {
	l := fit(left, width)
	pad := strings.Repeat(" ", width-utf8.RuneCountInString(l))
	rt := fit(right, width)
	if paint != nil {
		l, rt = paint(l), paint(rt)
	}
	h.printf("    %s\n", strings.TrimRight(l+pad+" │ "+rt, " "))
}

// fit shortens s to width runes.
func fit(s string, width int) string {
	s = strings.ReplaceAll(s, "\t", " ")
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	r := []rune(s)
	return string(r[:width-1]) + "…"
}
