package presage

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
	for _, top := range []string{"internal", "cmd", "bench", "docs", "tools", "."} {
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
