package summary

import (
	"fmt"
	"regexp"
)

// Specialised is the key of a function with one value of a boolean parameter, by the parameter's
// number, the receiver first. Such a function has a summary of its own (Function.Decides).
func Specialised(key string, param int, value bool) string {
	if value {
		return fmt.Sprintf("%s{%d}", key, param)
	}
	return fmt.Sprintf("%s{!%d}", key, param)
}

// General is the key of the function behind one that may be specialised.
func General(key string) string {
	if n := len(key); n > 0 && key[n-1] == '}' {
		return specialised.ReplaceAllString(key, "")
	}
	return key
}

var specialised = regexp.MustCompile(`\{!?\d+\}$`)
