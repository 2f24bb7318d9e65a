package presage

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// proseWidth is the number of columns of a line of a comment or a page, a tab counted as 4.
const proseWidth = 100

// wordsToAvoid are words of a language of our own, and what to say in their place.
var wordsToAvoid = []struct{ pattern, instead string }{
	{`missing methods?`, "excluded code, function or call"},
	{`(?:is|are|was|were|be|been) told`, "say which data is given, and by whom"},
	{`tells? of|told of|hears? of`, "say which data is given, and by whom"},
	{`asked of`, "say who calls what"},
	{`what of (?:them|it|these|those)`, "name the things"},
	{`stands? behind`, "name the relation"},
	{`on the fly`, "while the program runs"},
	{`does without`, "say what is left out"},
	{`nobody knows`, "unknown"},
	{`crowds?|crew|tales?|hush|loud|stray`, "the term of the literature"},
}

// TestProse: lines of comments and pages end before column 100, but for tables, drawings, links and
// what is quoted, and they are in plain English. Sentences are measured by tools/shape.
func TestProse(t *testing.T) {
	for _, top := range []string{"internal", "cmd", "bench", "docs", "golangci", "tools", "."} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || top == "." && name != "." || programs[name]):
				return fs.SkipDir
			case strings.HasSuffix(name, ".go"), strings.HasSuffix(name, ".md"):
				wide(t, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// programs are directories of programs of others, and of programs whose lines are named by tests.
var programs = map[string]bool{"bench/programs/outside": true, "bench/programs/recipe": true}

// wide reports the wide lines of a file.
func wide(t *testing.T, name string) {
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.ReplaceAll(string(src), "\t", "    "), "\n")
	texts := lines
	if strings.HasSuffix(name, ".go") {
		texts = commentLines(src, len(lines))
	}
	quoted := false
	for i, text := range texts {
		if strings.HasPrefix(text, "```") {
			quoted = !quoted
		}
		body := strings.TrimSpace(strings.TrimPrefix(text, "//"))
		table := strings.Contains(body, "  ") || strings.Contains(body, "\t") || strings.Contains(body, "|")
		if quoted || table || strings.HasPrefix(text, "    ") || strings.Contains(text, "](") || strings.Contains(text, "://") {
			continue
		}
		if n := utf8.RuneCountInString(lines[i]); text != "" && n > proseWidth {
			t.Errorf("%s:%d: %d columns", name, i+1, n)
		}
	}
	for i, text := range texts {
		if name == "prose_test.go" {
			break
		}
		for k, re := range avoid {
			if found := re.FindString(text); found != "" {
				t.Errorf("%s:%d: %q: %s", name, i+1, found, wordsToAvoid[k].instead)
			}
		}
	}
}

// avoid are the patterns of wordsToAvoid.
var avoid = func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, w := range wordsToAvoid {
		out = append(out, regexp.MustCompile(`(?i)\b(?:`+w.pattern+`)\b`))
	}
	return out
}()

// aPlural matches a count in a message with a noun that has only one form.
var aPlural = []*regexp.Regexp{
	regexp.MustCompile(`(?:than )?(?:%d|{{n}}) ([a-z]+s)(?:[^a-z{]|$)`),
	regexp.MustCompile(`(?:than )?(?:%d|{{n}}) [a-z-]+ ([a-z]+s)(?:[^a-z{]|$)`),
}

// notPlural are words in -s that are no plurals, as in "event %d is".
var notPlural = map[string]bool{"is": true, "was": true, "has": true, "does": true, "its": true, "this": true, "leaves": true, "as": true, "less": true, "comes": true, "owns": true}

// badCount returns the part of a message that is wrong for a count of one: "%d pairs".
func badCount(message string) string {
	for _, re := range aPlural {
		for _, m := range re.FindAllStringSubmatch(message, -1) {
			if !notPlural[m[1]] && !strings.HasPrefix(m[0], "than ") {
				return m[0]
			}
		}
	}
	return ""
}

// TestPlurals: messages have a form for one and a form for several (package plural). Not so the
// reasons of the judges, which say what is wrong with presage.
func TestPlurals(t *testing.T) {
	for message, want := range map[string]string{
		"found %d pairs": "%d pairs", "{{n}} untaken branches, %s": "{{n}} untaken branches,", "%d bytes": "%d bytes",
		"event %d is late": "", "longer than %d bytes": "", "{{n}} access{{|es}} left": "", "%d of these": "", "goroutine %d leaves its path": "",
	} {
		if got := badCount(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
	for _, top := range []string{"internal", "cmd", "golangci"} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || name == "internal/check" || name == "internal/oracle"):
				return fs.SkipDir
			case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			src, err := os.ReadFile(name)
			for line, message := range literals(src) {
				if bad := badCount(message); bad != "" {
					t.Errorf("%s:%d: %q has no form for one: see package plural", name, line, bad)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// literals yields the string literals of a Go file, each with its line.
func literals(src []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		fset := token.NewFileSet()
		file := fset.AddFile("", fset.Base(), len(src))
		var s scanner.Scanner
		s.Init(file, src, nil, 0)
		for {
			pos, tok, text := s.Scan()
			if tok == token.EOF {
				return
			}
			if tok != token.STRING {
				continue
			}
			if message, err := strconv.Unquote(text); err == nil && !yield(fset.Position(pos).Line, message) {
				return
			}
		}
	}
}

// commentLines returns the line comments of a Go file by line, from 0.
func commentLines(src []byte, n int) []string {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	out := make([]string, n)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.COMMENT && strings.HasPrefix(text, "//") {
			out[fset.Position(pos).Line-1] = text
		}
	}
}
