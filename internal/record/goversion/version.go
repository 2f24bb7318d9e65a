package goversion

import (
	"fmt"
	"go/version"
	"slices"
	"strings"
)

// OS is the system that presage records on.
const OS = "linux"

// Archs are the processors that presage records on. Patches name files of each, as
// syscall/zsyscall_linux_arm64.go. They are applied whatever the program is built for.
var Archs = []string{"amd64", "arm64"}

// Language cuts a version of Go to its first two numbers: go1.26.8 X:foo and go1.26rc1 become
// go1.26. It returns "" for a version that is not a released one.
func Language(v string) string {
	v, _, _ = strings.Cut(v, " ")
	return version.Lang(v)
}

// Supported returns an error that says why presage cannot record with a version of Go on a system,
// or nil.
func Supported(v, goos, goarch string) error {
	all := Versions()
	if slices.Contains(all, Language(v)) && goos == OS && slices.Contains(Archs, goarch) {
		return nil
	}
	var on []string
	for _, arch := range Archs {
		on = append(on, OS+"/"+arch)
	}
	return fmt.Errorf("%s on %s/%s is not supported; presage records with %s on %s", v, goos, goarch, strings.Join(all, ", "), strings.Join(on, " and "))
}

// A span is a range of versions of Go, both ends included. An empty end is open.
type span struct{ since, until string }

// contains reports whether a version, as Language returns it, is in the span.
func (s span) contains(v string) bool {
	return (s.since == "" || version.Compare(s.since, v) <= 0) && (s.until == "" || version.Compare(v, s.until) <= 0)
}

// cutSpan cuts "since goX.Y" and "until goX.Y" off the end of a line's words.
func cutSpan(words []string) (rest []string, s span, err error) {
	for _, end := range []struct {
		word string
		to   *string
	}{{"until", &s.until}, {"since", &s.since}} {
		n := len(words)
		if n < 2 || words[n-2] != end.word {
			continue
		}
		v := words[n-1]
		if version.Lang(v) != v {
			return nil, s, fmt.Errorf("%q is not a version as go1.26", v)
		}
		*end.to, words = v, words[:n-2]
	}
	return words, s, nil
}
