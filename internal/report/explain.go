package report

import (
	"fmt"
	"slices"
	"strings"
)

// maxSights is the number of reads that the text of a report explains.
const maxSights = 8

// path says where and why a goroutine leaves its recorded path, and which other values the witness
// needs.
func (h *textHandler) path(r *Race) {
	var reads []Sight
	if r.Witness != nil {
		reads = r.Witness.Reads
	}
	p := r.Path
	if p == nil {
		if len(reads) > 0 {
			h.printf("\n  These reads see other values than in the recorded run, with which branches and addresses stay the same:\n")
			h.sights(reads)
		}
		return
	}
	h.printf("\n  Goroutine %d leaves its recorded path at %s, where %s\n", p.Goroutine, h.loc.Sprint(h.short(p.Position)), p.choice())
	if p.Source != "" {
		h.printf("      %s\n", h.dim.Sprint(p.Source))
	}
	isFork := func(s Sight) bool { return s.Fork }
	h.sights(slices.DeleteFunc(slices.Clone(reads), func(s Sight) bool { return !isFork(s) }))
	if rest := slices.DeleteFunc(slices.Clone(reads), isFork); len(rest) > 0 {
		h.printf("  Other reads that branches and addresses depend on:\n")
		h.sights(rest)
	}
}

// choice is what is chosen at the fork, as a sentence.
func (p *Path) choice() string {
	what := p.Expr
	if what == "" || what == "…" {
		what = pick(p.Base, "what is dereferenced", "the condition")
	}
	if strings.HasPrefix(what, "range ") && !p.Base {
		return what + pick(p.Is == "true", " had ended and goes on", " went on and has ended")
	}
	return fmt.Sprintf("%s was %s and is %s%s", what, p.Was, p.Is, pick(p.Base && strings.HasPrefix(p.Is, "0x"), ", another object", ""))
}

func (h *textHandler) sights(list []Sight) {
	for i, s := range list {
		if i == maxSights {
			h.printf("    %s\n", h.dim.Sprintf("… and %s", plural(len(list)-i, "read")))
			return
		}
		h.printf("    goroutine %d %s at %s: %s\n", s.Goroutine, s.Text, h.loc.Sprint(h.short(s.Position)), s.sees())
		if s.From == nil {
			continue
		}
		h.printf("        from goroutine %d at %s%s\n", s.From.Goroutine, h.loc.Sprint(h.short(s.From.Position)), h.quoted(s.From))
	}
}

// sees says what a read sees, and what it saw.
func (s *Sight) sees() string {
	out := s.Value
	if out == "" {
		out = "another value"
	}
	if s.Recorded != "" {
		out += " instead of " + s.Recorded
	}
	if s.From == nil {
		out += ", the initial value"
	}
	return out
}

func (h *textHandler) quoted(s *Step) string {
	if s.Source == "" {
		return ""
	}
	return ": " + h.dim.Sprint(s.Source)
}
