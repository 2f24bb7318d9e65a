package known

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

// lines reads functions and lines of source files, and remembers the text.
type lines map[string][]byte

func (l lines) text(file string) []byte {
	text, ok := l[file]
	if !ok {
		text, _ = os.ReadFile(file) // a file that is gone has no line
		l[file] = text
	}
	return text
}

// fits reports whether a source line is the place in some version: the line names the variable, in
// the declared function of the place. Line numbers differ between the versions, so they do not
// count.
func (l lines) fits(at token.Position, p place, word *regexp.Regexp) bool {
	if filepath.Base(at.Filename) != filepath.Base(p.file) {
		return false
	}
	text := l.text(at.Filename)
	split := strings.Split(string(text), "\n")
	if at.Line < 1 || at.Line > len(split) || !word.MatchString(split[at.Line-1]) {
		return false
	}
	fn, err := funcAt(at.Filename, text, at.Line)
	return err == nil && fn == p.fn
}

// judge finds the best warning that is the race. An access is at a place if it, or a call that led
// to it, is there.
func (r *frozenRace) judge(res *static.Result, source lines) (v verdict) {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(r.variable) + `\b`)
	at := func(a *summary.Access, p place) bool {
		if source.fits(res.Position(a.Pos), p, word) {
			return true
		}
		for c := a.Via; c != nil; c = c.Next {
			if source.fits(res.Position(c.Pos), p, word) {
				return true
			}
		}
		return false
	}
	race := func(a, b *summary.Access) bool { return a.Kind.Writes() && at(a, r.write) && at(b, r.other) }
	for _, w := range res.Warnings {
		if w.Tier == tier.Likely {
			v.likely++
		}
	}
	for _, w := range res.Pairs {
		if (race(w.A, w.B) || race(w.B, w.A)) && (v.best == nil || w.Tier != v.best.Tier && !tier.Shows(w.Tier, v.best.Tier)) {
			v.best = w
		}
	}
	return v
}

// measureHalf looks for the races of one half of frozen.txt, and prints a line for each. Summaries
// are shared through a directory below scratch, because versions share most of their imports.
func measureHalf(half, only, scratch string, figures *command.Figures) {
	races, err := readFrozen(frozenTable)
	command.Check(err)
	var rows, likely, some, gone int
	for _, r := range races {
		if r.half != half || !strings.Contains(r.name, only) {
			continue
		}
		rows++
		var found [2]verdict
		var cost float64
		for i, version := range []string{r.before, r.after} {
			a := analyseModule(scratch, r.module, version, []string{r.pkg}, filepath.Join(scratch, "summaries"))
			if a.err != nil {
				command.Check(fmt.Errorf("%s %s: %w", r.name, version, a.err))
			}
			found[i] = r.judge(a.res, lines{})
			cost += a.cost
		}
		if found[0].best != nil {
			some++
			if found[0].best.Tier == tier.Likely {
				likely++
			}
		}
		if found[1].best == nil || found[1].best.Tier != tier.Likely {
			gone++
		}
		fmt.Printf("%-46s %-40v of %3d; after: %-40v of %3d %5.1f s\n", r.name, found[0], found[0].likely, found[1], found[1].likely, cost)
	}
	fmt.Printf("%s half: likely before the fix %d of %d, in some tier %d, not likely after it %d\n", half, likely, rows, some, gone)
	figures.Print(half, command.Count(rows, "races"), command.Count(likely, "likely-before"), command.Count(some, "in-some-tier"), command.Count(gone, "gone-after"))
}
