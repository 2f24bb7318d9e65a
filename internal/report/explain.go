package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
)

// maxSights is the number of reads that the text of a report explains.
const maxSights = 8

// paths says where and why goroutines leave their recorded paths, and which other values the
// witness needs.
func (h *textHandler) paths(r *Race) {
	var reads []Sight
	if r.Witness != nil {
		reads = r.Witness.Reads
	}
	if len(r.Paths) == 0 {
		if len(reads) > 0 {
			h.printf("\n  These reads see other values than in the recorded run, with which branches and addresses stay the same:\n")
			h.sights(reads)
		}
		return
	}
	h.printf("\n")
	for _, p := range r.Paths {
		h.path(p)
		var here []Sight // what its choice depends on
		reads = slices.DeleteFunc(slices.Clone(reads), func(s Sight) bool {
			of := s.Fork && s.Goroutine == p.Goroutine
			if of {
				here = append(here, s)
			}
			return of
		})
		h.sights(here)
	}
	if len(reads) > 0 {
		h.printf("  Other reads that branches and addresses depend on:\n")
		h.sights(reads)
	}
}

// path says where and why a goroutine leaves its recorded path.
func (h *textHandler) path(p *Path) {
	h.printf("  %s %s%s\n", p.departure(), h.loc.Sprint(h.short(p.Position)), p.reason())
	if p.Source != "" {
		h.printf("      %s\n", h.dim.Sprint(p.Source))
	}
}

// departure says how a goroutine comes to be off its recorded path, up to the place.
func (p *Path) departure() string {
	switch {
	case p.Timer:
		return fmt.Sprintf("In the recorded run no timer started goroutine %d. In this schedule one fires, and it begins at", p.Goroutine)
	case p.Ended:
		return fmt.Sprintf("Goroutine %d had not ended when the recorded run did. In this schedule it goes on at", p.Goroutine)
	}
	return fmt.Sprintf("Goroutine %d leaves its recorded path at", p.Goroutine)
}

// reason follows the place at which a goroutine leaves its path.
func (p *Path) reason() string {
	if p.Timer || p.Ended {
		return ""
	}
	return ", where " + p.choice()
}

// choice is what is chosen at the fork, as a sentence.
func (p *Path) choice() string {
	what := p.Expr
	if what == "" || what == "…" {
		what = pick(p.Base, "what is dereferenced", "the condition")
	}
	if p.Outcome != "" {
		if p.Expr == "" || p.Expr == "…" {
			what = "the operation"
		}
		return fmt.Sprintf("%s has another outcome: it %s", what, p.Outcome)
	}
	if strings.HasPrefix(what, "range ") && !p.Base {
		return what + pick(p.Is == "true", " had ended and goes on", " went on and has ended")
	}
	return fmt.Sprintf("%s was %s and is %s%s", what, p.Was, p.Is, pick(p.Base && strings.HasPrefix(p.Is, "0x"), ", another object", ""))
}

func (h *textHandler) sights(list []Sight) {
	for i, s := range list {
		if i == maxSights {
			h.printf("    %s\n", h.dim.Sprintf("… and %s", plural.Of(len(list)-i, "read")))
			return
		}
		h.printf("    goroutine %d %s at %s: %s\n", s.Goroutine, s.Text, h.loc.Sprint(h.short(s.Position)), s.Sees())
		if s.From == nil {
			continue
		}
		h.printf("        from goroutine %d at %s%s\n", s.From.Goroutine, h.loc.Sprint(h.short(s.From.Position)), h.quoted(s.From))
	}
}

// Sees says in a few words what a read sees, and what it saw in the recorded run.
func (s *Sight) Sees() string {
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
