package public

import (
	"path/filepath"
	"regexp"

	"github.com/presage-race/presage/internal/report"
)

// placeOf is where presage says that an access is made.
func placeOf(a *report.Access) place {
	return place{a.Func, filepath.Base(a.File), a.Line}
}

// matches returns which pairs a race is one of: those of its lines, or else of its functions.
func matches(pairs []pair, r *report.Race) []int {
	a, b := placeOf(&r.A), placeOf(&r.B)
	if found := assign(pairs, a, b, sameLine); found != nil {
		return found
	}
	return assign(pairs, a, b, sameLineOrFunc)
}

// inFuncsOf returns the pairs in whose functions a race is.
func inFuncsOf(pairs []pair, r *report.Race) []int {
	return assign(pairs, placeOf(&r.A), placeOf(&r.B), sameFunc)
}

// assign returns the pairs whose places are the same as a and b, in either order.
func assign(pairs []pair, a, b place, same func(p, q place) bool) (found []int) {
	for n, p := range pairs {
		if same(p[0], a) && same(p[1], b) || same(p[0], b) && same(p[1], a) {
			found = append(found, n)
		}
	}
	return found
}

func sameLine(p, q place) bool { return p.File == q.File && p.Line == q.Line }

func sameFunc(p, q place) bool { return plain(p.Func) == plain(q.Func) }

func sameLineOrFunc(p, q place) bool { return sameLine(p, q) || sameFunc(p, q) }

// generics are the type arguments in the name of a function.
var generics = regexp.MustCompile(`\[[^]]*\]`)

// plain is the name of a function without type arguments.
func plain(function string) string { return generics.ReplaceAllString(function, "") }
