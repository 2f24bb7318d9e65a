package goversion

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed lists.txt
var listsText string

// An entry is a line of lists.txt.
type entry struct {
	list string
	rest []string
	span span
}

var lists = mustParseLists(listsText)

func mustParseLists(src string) []entry {
	all, err := parseLists(src)
	if err != nil {
		panic(err)
	}
	return all
}

func parseLists(src string) (all []entry, err error) {
	line := 0
	for text := range strings.Lines(src) {
		line++
		words := strings.Fields(text)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		words, span, err := cutSpan(words)
		if err != nil {
			return nil, fmt.Errorf("lists.txt:%d: %w", line, err)
		}
		all = append(all, entry{words[0], words[1:], span})
	}
	return all, nil
}

// list returns the entries of a list for a version, in their order. "" stands for any version.
func list(name, version string) (all [][]string) {
	for _, e := range lists {
		if e.list == name && (version == "" || e.span.contains(Language(version))) {
			all = append(all, e.rest)
		}
	}
	return all
}

// words returns the first word of each entry of a list.
func words(name, version string) (all []string) {
	for _, e := range list(name, version) {
		all = append(all, e[0])
	}
	return all
}

// Versions returns the versions of Go that presage supports, the oldest first.
func Versions() []string { return words("supported", "") }

// CheckedFiles returns the files of the standard library whose checks of raceenabled and
// race.Enabled stand in front of accesses. With the recorder or the detector they are true.
func CheckedFiles(version string) []string { return words("checked", version) }

// AtomicFiles returns the files that declare the functions of sync/atomic.
func AtomicFiles(version string) []string { return words("atomic", version) }

// OtherToolchains returns a release of each supported version but one, for tests with it.
func OtherToolchains(version string) (all []string) {
	for _, e := range list("supported", "") {
		if e[0] != Language(version) {
			all = append(all, e[1])
		}
	}
	return all
}

// Unhooked reports whether the compiler gives a package no hooks because the runtime uses it.
func Unhooked(path string) bool {
	return path == "unsafe" || path == "runtime" || strings.HasPrefix(path, "runtime/internal/") ||
		strings.HasPrefix(path, "internal/runtime/") || slices.Contains(words("unhooked", ""), path)
}

// JoinsLineNames reports whether the compiler joins a relative name in a //line comment to the
// directory of the source.
func JoinsLineNames(version string) bool { return len(list("joins-line-names", version)) > 0 }

// ReplaceWords replaces the words of a source that differ between versions.
func ReplaceWords(src []byte, version string) []byte {
	text := string(src)
	for _, e := range list("word", version) {
		text = strings.ReplaceAll(text, e[0], e[1])
	}
	return []byte(text)
}
