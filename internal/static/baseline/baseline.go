// Package baseline keeps the fingerprints of warnings and the IDs of races that are known, so that
// a report has only new ones.
//
// # The format
//
// One line a pair, in text that can be compared and merged:
//
//	# What presage vet has found before …
//	5d1f0c3a9b27 likely m.S.n: write in (*m.S).bad, read in m.Run
//
// The first word is the fingerprint; the rest of the line is for people, and is not read. Lines are
// sorted by that rest, so that a pair that is gone removes its line and moves no other. Empty lines
// and lines with # are comments.
//
// A baseline of races has a first line with the version of the format. A second word has the
// packages of the race, with commas between them: those of its accesses, and of the test.
//
//	# presage baseline of races, version 1: …
//	7c1f0c3a9b27 example.com/m observed (*S).n: write in (*m.S).bad, read in m.Run
package baseline

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Entry is one pair.
type Entry struct{ ID, Text string }

const head = vetHead + ": warnings with these fingerprints are not reported. Made by presage vet -baseline FILE -write-baseline.\n"

// Write writes a baseline.
func Write(w io.Writer, entries []Entry) error {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID)) })
	out := bufio.NewWriter(w)
	out.WriteString(head)
	for _, e := range entries {
		fmt.Fprintf(out, "%s %s\n", e.ID, strings.ReplaceAll(e.Text, "\n", " "))
	}
	return out.Flush()
}

// Read reads the fingerprints of a baseline.
func Read(r io.Reader) (map[string]bool, error) {
	ids := map[string]bool{}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if n == 1 && strings.HasPrefix(line, racesHead) {
			return nil, errors.New("it is a baseline of races; warnings of presage vet have a file of their own")
		}
		if line == "" || line[0] == '#' {
			continue
		}
		id, _, _ := strings.Cut(line, " ")
		if !valid(id) {
			return nil, fmt.Errorf("line %d: %q is no fingerprint", n, id)
		}
		ids[id] = true
	}
	return ids, sc.Err()
}
