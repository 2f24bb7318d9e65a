// Package ignore reads the directives with which a program says that a warning, or a race of a run,
// is known.
//
// The directive is //presage:ignore reason, without a space after the slashes, as all directives
// have it. It silences the warnings and races that have an access on its line; alone on its line,
// those of the next line. A directive without a reason is an error and silences nothing; so is one
// that begins with //presage: and has another name. A caller reports directives that silence
// nothing.
//
// # Complexity
//
// Linear in the size of the files; only those that mention a directive are scanned.
package ignore

import (
	"bytes"
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"
)

// Prefix begins each directive.
const Prefix = "//presage:"

// Directive is one //presage:ignore.
type Directive struct {
	Pos    token.Position
	Reason string
	line   int // that it covers
	used   bool
}

// Error is a directive that is not one of presage's, or lacks its reason.
type Error struct {
	Pos  token.Position
	Text string
}

func (e Error) String() string { return fmt.Sprintf("%v: %s", e.Pos, e.Text) }

// Set is what the files of a program say.
type Set struct {
	Errors     []Error
	directives []*Directive
	at         map[place][]*Directive
}

type place struct {
	file string
	line int
}

// Read reads the directives of files.
func Read(files []string) (*Set, error) {
	s := &Set{at: map[place][]*Directive{}}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading directives: %w", err)
		}
		if bytes.Contains(src, []byte(Prefix)) {
			s.scan(name, src)
		}
	}
	slices.SortFunc(s.directives, func(a, b *Directive) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	slices.SortFunc(s.Errors, func(a, b Error) int { return strings.Compare(a.String(), b.String()) })
	return s, nil
}

func (s *Set) scan(name string, src []byte) {
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(src))
	var sc scanner.Scanner
	// the loader reports errors
	sc.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	// on which the token before ends
	line := 0
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			return
		}
		p := file.PositionFor(pos, false)
		if tok != token.COMMENT {
			if tok != token.SEMICOLON || lit != "\n" {
				line = p.Line + strings.Count(lit, "\n")
			}
			continue
		}
		if rest, ok := strings.CutPrefix(lit, Prefix); ok {
			s.add(p, rest, line == p.Line)
		}
	}
}

// add takes a directive; behind says that its line has something before it.
func (s *Set) add(p token.Position, text string, behind bool) {
	verb, reason, _ := strings.Cut(text, " ")
	verb, reason = strings.TrimSpace(verb), strings.TrimSpace(reason)
	switch {
	case verb == "global": // package plan reads it
		return
	case verb != "ignore":
		s.Errors = append(s.Errors, Error{p, "presage knows no directive //presage:" + verb})
		return
	case reason == "":
		s.Errors = append(s.Errors, Error{p, "//presage:ignore needs a reason behind it"})
		return
	}
	d := &Directive{Pos: p, Reason: reason, line: p.Line + 1}
	if behind {
		d.line = p.Line
	}
	s.directives = append(s.directives, d)
	k := place{p.Filename, d.line}
	s.at[k] = append(s.at[k], d)
}

// Covers reports whether a directive silences the warnings with an access at the line, and marks it
// as used.
func (s *Set) Covers(file string, line int) bool {
	list := s.at[place{file, line}]
	for _, d := range list {
		d.used = true
	}
	return len(list) > 0
}

// At returns a directive that covers a line, and marks it as used; nil if there is none.
func (s *Set) At(file string, line int) *Directive {
	if !s.Covers(file, line) {
		return nil
	}
	return s.at[place{file, line}][0]
}

// Line is the line that the directive covers.
func (d *Directive) Line() int { return d.line }

// Unused lists the directives that have silenced nothing, by position.
func (s *Set) Unused() []*Directive {
	var out []*Directive
	for _, d := range s.directives {
		if !d.used {
			out = append(out, d)
		}
	}
	return out
}
