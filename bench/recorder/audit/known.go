package audit

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed known.txt
var known string

// knownLine explains the mismatches of readers and writers whose names match.
type knownLine struct {
	reader, writer *regexp.Regexp
	reason         string
}

type knownTable []knownLine

// parseKnown reads known.txt.
func parseKnown(text string) (knownTable, error) {
	var table knownTable
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		what, reason, _ := strings.Cut(line, "#")
		names := strings.Split(what, "|")
		if len(names) != 2 || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("known.txt: not READER | WRITER # REASON: %q", line)
		}
		table = append(table, knownLine{pattern(names[0]), pattern(names[1]), strings.TrimSpace(reason)})
	}
	return table, nil
}

// pattern is a regular expression for a name in which * matches any text.
func pattern(name string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(name)), `\*`, ".*") + "$")
}

// reason returns the reason of the first line that explains m, "" if none does.
func (k knownTable) reason(m *mismatch) string {
	for _, l := range k {
		if l.reader.MatchString(m.reader.function) && l.writer.MatchString(m.writer.function) {
			return l.reason
		}
	}
	return ""
}
