// Package quoted splits lists of words as the go command does it for -exec, -toolexec and GOFLAGS:
// a word may stand in ' or ", where nothing else has a meaning.
package quoted

import (
	"fmt"
	"strings"
)

const spaces = " \t\n\r"

// Split returns the words of a list. A quote that has no end is an error. One that is not at the
// beginning of a word is a character of it.
func Split(list string) (words []string, err error) {
	for {
		if list = strings.TrimLeft(list, spaces); list == "" {
			return words, nil
		}
		end, rest := strings.IndexAny(list, spaces), ""
		switch q := list[0]; q {
		case '\'', '"':
			list = list[1:]
			if end = strings.IndexByte(list, q); end < 0 {
				return nil, fmt.Errorf("a word begins with %c and does not end", q)
			}
			rest = list[end+1:]
		default:
			if end < 0 {
				end = len(list)
			}
			rest = list[end:]
		}
		words, list = append(words, list[:end]), rest
	}
}

// Word returns a word as Split has it in a list. No list has a word with both kinds of quotes.
func Word(s string) (string, error) {
	switch single, double := strings.Contains(s, "'"), strings.Contains(s, `"`); {
	case single && double:
		return "", fmt.Errorf("%s has both kinds of quotes, which the go command cannot take", s)
	case single:
		return `"` + s + `"`, nil
	case double, s == "", strings.ContainsAny(s, spaces):
		return "'" + s + "'", nil
	}
	return s, nil
}
