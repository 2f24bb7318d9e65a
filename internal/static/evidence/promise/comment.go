package promise

import (
	"regexp"
	"strings"
)

// Verdict says how many goroutines may be in the methods of an object at once.
type Verdict int8

const (
	None Verdict = iota // nothing is said
	One
	Many
)

func (v Verdict) String() string { return [...]string{"none", "one", "many"}[v] }

const together = `(concurren\w*|in parallel|simultaneously|at the same time|(multiple|several|many|different) (go ?routines|threads))`

var (
	many = regexp.MustCompile(`\bsafe(ly)? .*\b` + together +
		`|\b(concurren(t|cy)|thread|go-?routine)[ -]?safe(ly)?\b` +
		`|\b(may|can|could|might|will) (also )?be \w+ .*\b` + together + `|\b(may|can|could|might|will) be ` + together + ` \w+` +
		`|\bmultiple goroutines (may|can)\b`)

	not = regexp.MustCompile(`\b(not|never|cannot|non|unsafe|neither|nor|no)\b|n't\b`)

	// either is what a negation is of.
	either = regexp.MustCompile(together + `|safe`)

	// depends is in sentences that hold sometimes only, or of something else.
	depends = regexp.MustCompile(`\b(unless|except|if|as long as|so long as|provided|once|until|only|when|but|however|while|after|before|though|certain|some|` +
		`given|supplied|passed|returned|returns|callbacks?|arguments?|parameters?|wraps?|makes?)\b`)

	sentence = regexp.MustCompile(`[.;!:](\s|$)|\n\s*\n`)
)

// Read finds what a comment says of what it belongs to.
func Read(comment string) Verdict {
	said := None
	for _, s := range sentence.Split(strings.ToLower(comment), -1) {
		v := read(strings.Join(strings.Fields(s), " "))
		switch {
		case v == None || v == said:
		case said == None:
			said = v
		default:
			return None
		}
	}
	return said
}

// read is the verdict of one sentence.
func read(s string) Verdict {
	if depends.MatchString(s) {
		return None
	}
	words, no := many.FindStringIndex(s), not.FindStringIndex(s)
	switch {
	case no == nil && words == nil:
		return None
	case no == nil:
		return Many
	case words == nil && !strings.Contains(s, "concurren"), words != nil && no[0] >= words[1], !either.MatchString(s[no[0]:]):
		return None
	}
	return One
}
