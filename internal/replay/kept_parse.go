package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/trace/format"
)

// words takes a line apart, up to a |.
func words(line string) (out []string, err error) {
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" || line == "|" || strings.HasPrefix(line, "| ") {
			return out, nil
		}
		if line[0] == '"' {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a quotation that does not end")
			}
			s, _ := strconv.Unquote(q)
			out, line = append(out, s), line[len(q):]
			continue
		}
		n := strings.IndexAny(line, " \t\r")
		if n < 0 {
			n = len(line)
		}
		out, line = append(out, line[:n]), line[n:]
	}
}

// The sections, as errors name them.
var sections = []string{"the lines of the head", "the functions and their gates", "the goroutines", "the steps"}

// ParseKept reads a kept schedule. What was altered since it was written is an error, which names
// the section.
func ParseKept(name string, data []byte) (*Kept, error) {
	p := keptParser{kept: &Kept{}}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		// a byte-order mark, which some editors write
		n++
		line = strings.TrimRight(line, "\r\n")
		if t := strings.TrimSpace(line); t == "" || t[0] == '#' {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	switch {
	case p.lines == 0:
		return nil, fmt.Errorf("%s is empty: not a kept schedule", name)
	case !p.ended:
		return nil, fmt.Errorf("%s is cut off in %s: it has no line \"end\"", name, sections[min(p.section, 3)])
	}
	if err := p.kept.consistent(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p.kept, nil
}

type keptParser struct {
	kept    *Kept
	sum     summer
	section int
	lines   int
	version int
	ended   bool
}

func (p *keptParser) line(line string) error {
	w, err := words(line)
	if err != nil {
		return err
	}
	p.lines++
	if len(w) == 0 { // a | alone
		return fmt.Errorf("%q is a line without words", line)
	}
	switch {
	case p.lines == 1:
		return p.first(w, line)
	case p.ended:
		return fmt.Errorf("a line behind the end")
	case len(w) == 1 && w[0] == "end" && p.section == len(sections):
		p.ended = true
		return nil
	case p.section == len(sections):
		return fmt.Errorf("%q stands where the file should end", line)
	case w[0] == "sum":
		if len(w) != 2 || w[1] != p.sum.String() {
			return fmt.Errorf("%s are not as presage wrote them: the sum is not that of the lines above", sections[p.section])
		}
		p.section++
		return nil
	}
	p.sum.add(line)
	var ok bool
	switch p.section {
	case 0:
		ok = p.head(w)
	case 1:
		ok, err = p.function(w, line)
	case 2:
		ok, err = p.goroutine(w)
	case 3:
		ok, err = p.step(w)
	}
	if !ok && err == nil {
		err = fmt.Errorf("%q is not a line of %s", strings.TrimSpace(line), sections[p.section])
	}
	return err
}

func (p *keptParser) first(w []string, line string) error {
	if len(w) != 3 || w[0] != "presage" || w[1] != "schedule" {
		return fmt.Errorf("not a kept schedule: it does not begin with \"presage schedule\"")
	}
	n, ok := number(w[2], "")
	if !ok || n > latestVersion {
		return fmt.Errorf("a kept schedule of version %s: this presage reads versions %d to %d", w[2], keptVersion, latestVersion)
	}
	p.version = n
	p.sum.add(line)
	return nil
}

func (p *keptParser) head(w []string) bool {
	k := p.kept
	switch {
	case len(w) == 1 && w[0] == "apart":
		k.apart = true
		return true
	case len(w) == 3 && w[0] == "source":
		k.sources = append(k.sources, source{w[1], w[2]})
		return true
	case len(w) == 3 && w[0] == "child":
		n, err := strconv.Atoi(w[2])
		k.nth = n
		return hexadecimal(w[1], &k.child) && err == nil
	case len(w) == 5 && w[0] == "access":
		n, ok := number(w[4], "")
		k.accesses = append(k.accesses, access{w[1], w[2], w[3], n})
		return ok
	case len(w) != 2:
		return false
	}
	switch w[0] {
	case "seed":
		return hexadecimal(w[1], &k.seed)
	case "tree":
		k.tree = w[1]
	case "id":
		k.ID = w[1]
	case "race":
		k.Object = w[1]
	case "go":
		k.GoVersion = w[1]
	case "test", "run":
		k.Test, k.Package = w[0] == "test", w[1]
	case "dir":
		k.Dir = w[1]
	case "build":
		k.Build = append(k.Build, w[1])
	case "flag":
		k.Flags = append(k.Flags, w[1])
	case "arg":
		k.Args = append(k.Args, w[1])
	case "opaque":
		k.opaque = append(k.opaque, w[1])
	default:
		return false
	}
	return true
}

func (p *keptParser) function(w []string, line string) (bool, error) {
	k := p.kept
	if w[0] == "func" && len(w) == 4 {
		k.funcs = append(k.funcs, outline{name: w[1], pkg: w[2], file: w[3]})
		return true, nil
	}
	if w[0] == "outside" {
		return p.outside(w, line), nil
	}
	if len(w) != 5 || len(k.funcs) == 0 {
		return false, nil
	}
	n, ok := number(w[0], "g")
	if w[0] != "-" && !ok {
		return false, nil
	}
	at, err := strconv.Atoi(w[1])
	if err != nil {
		return false, nil
	}
	_, text, _ := strings.Cut(line, " | ")
	f := &k.funcs[len(k.funcs)-1]
	f.gates = append(f.gates, outlined{number: n, line: at, kind: w[2], expr: w[3], object: w[4], text: strings.TrimSpace(text)})
	return true, nil
}

// outside reads a place of outside code.
func (p *keptParser) outside(w []string, text string) bool {
	if len(w) != 6 || p.version < keptOutside || w[5] != format.Read.String() && w[5] != format.Write.String() {
		return false
	}
	n, ok1 := number(w[1], "g")
	line, ok2 := number(w[4], "")
	_, text, _ = strings.Cut(text, " | ")
	at := outsidePlace{fn: w[2], file: w[3], line: line, write: w[5] == format.Write.String()}
	p.kept.places = append(p.kept.places, keptPlace{n, at, strings.TrimSpace(text)})
	return ok1 && ok2 && w[2] != ""
}

func hexadecimal(s string, to *uint64) bool {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64)
	*to = v
	return err == nil
}

// number reads a number with something before it.
func number(s, prefix string) (int, bool) {
	s, ok := strings.CutPrefix(s, prefix)
	n, err := strconv.Atoi(s)
	return n, ok && err == nil && n > 0 && n < 1<<31
}

func (p *keptParser) goroutine(w []string) (bool, error) {
	k := p.kept
	if len(w) < 5 || w[0] != "goroutine" || w[2] != "number" {
		return false, nil
	}
	if want := strconv.Itoa(len(k.who) + 1); w[1] != want {
		return false, fmt.Errorf("goroutine %s stands where goroutine %s should", w[1], want)
	}
	var g keptGoroutine
	var err error
	if g.number, err = strconv.ParseUint(w[3], 10, 64); err != nil {
		return false, nil
	}
	ok := false
	switch w = w[4:]; {
	case len(w) == 1 && w[0] == "first":
		g.parent, ok = -1, len(k.who) == 0
	case len(w) == 2 && w[0] == "runtime":
		g.name, ok = w[1], true
	case len(w) == 5 && w[0] == "of":
		if g.parent, ok = number(w[1], ""); !ok || g.parent > len(k.who) {
			return false, fmt.Errorf("there is no goroutine %s before goroutine %d", w[1], len(k.who)+1)
		}
		if g.ordinal, err = strconv.Atoi(w[4]); err != nil || g.ordinal < 0 {
			return false, nil
		}
		switch w[2] {
		case "at":
			g.gate, ok = number(w[3], "g")
		case "by":
			g.name = w[3]
		default:
			ok = false
		}
	}
	k.who = append(k.who, g)
	return ok, nil
}

func (p *keptParser) step(w []string) (bool, error) {
	k := p.kept
	switch {
	case w[0] == "step" && len(w) > 1:
		if want := strconv.Itoa(len(k.steps) + 1); w[1] != want {
			return false, fmt.Errorf("step %s stands where step %s should: a step was left out, or two were swapped", w[1], want)
		}
		s, ok := stepOf(w[2:])
		if k.place(s.gate) != nil {
			s.flags |= outside
		}
		k.steps = append(k.steps, s)
		return ok, nil
	case w[0] == "stop":
		s, ok := stepOf(w[1:])
		s.flags |= stops
		k.stops = append(k.stops, s)
		return ok, nil
	case w[0] == "feed" && len(w) == 6 && w[1] == "goroutine":
		var f keptFeed
		var ok1, ok2 bool
		var err error
		f.who, ok1 = number(w[2], "")
		f.gate, ok2 = number(w[3], "g")
		f.n, err = strconv.Atoi(w[4])
		ok := ok1 && ok2 && err == nil && f.n >= 0 && hexadecimal(w[5], &f.value)
		k.feeds = append(k.feeds, f)
		return ok, nil
	}
	return false, nil
}

// stepOf reads the fields after the number of a step.
func stepOf(w []string) (s keptStep, ok bool) {
	if len(w) < 5 || w[0] != "goroutine" {
		return s, false
	}
	var ok1, ok2, ok3 bool
	s.who, ok1 = number(w[1], "")
	s.gate, ok2 = number(w[2], "g")
	s.object, ok3 = number(w[4], "o")
	for kind := range format.Max {
		if kind.Valid() && kind.String() == w[3] {
			s.kind = kind
		}
	}
	if !ok1 || !ok2 || !ok3 || s.kind == format.Invalid {
		return s, false
	}
	for w = w[5:]; len(w) > 0; w = w[1:] {
		if i := slices.IndexFunc(s.numbers(), func(n numberWord) bool { return n.word == w[0] }); i >= 0 && len(w) > 1 {
			n, err := strconv.ParseUint(w[1], 10, 62)
			if err != nil {
				return s, false
			}
			*s.numbers()[i].value = n
			w = w[1:]
			continue
		}
		i := slices.IndexFunc(flagWords, func(f flagWord) bool { return f.word == w[0] })
		if i < 0 {
			return s, false
		}
		s.flags |= flagWords[i].flag
	}
	return s, true
}
