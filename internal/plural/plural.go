// Package plural puts a count into a message. The message has a form for one thing and a form for
// several, so that the count may change until the message is printed:
//
//	{{n}} pair{{|s}} of accesses {{was|were}} not kept
//	1 pair of accesses was not kept
//	3 pairs of accesses were not kept
package plural

import (
	"fmt"
	"regexp"
	"strings"
)

// A choice is between a form for one thing and a form for several. Names of types, which a message
// may contain, have no such text.
var choice = regexp.MustCompile(`\{\{([a-z' ]*)\|([a-z' ]*)\}\}`)

// Text returns the message for n things.
func Text[N int | int64 | uint64](n N, message string) string {
	form := "$2"
	if n == 1 {
		form = "$1"
	}
	message = choice.ReplaceAllString(message, form)
	return strings.ReplaceAll(message, "{{n}}", fmt.Sprint(n))
}

// Of returns the count with the name of the things: "1 class", "2 classes".
func Of[N int | int64 | uint64](n N, name string) string {
	switch {
	case strings.HasSuffix(name, "s"):
		name += "{{|es}}"
	case strings.HasSuffix(name, "ry"):
		name = strings.TrimSuffix(name, "y") + "{{y|ies}}"
	default:
		name += "{{|s}}"
	}
	return Text(n, "{{n}} "+name)
}
