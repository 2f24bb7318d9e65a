package goroot

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// program is a file of $GOROOT/test that is a whole program.
type program struct {
	name  string // below $GOROOT/test
	text  []byte
	flags []string // of go build
	args  []string // of the program
	env   []string // of the go command
}

// find returns the programs below root whose names match.
func find(root string, match *regexp.Regexp) (list []*program, err error) {
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil || !match.MatchString(name) {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if flags, args, ok := runLine(string(text)); ok {
			p := &program{name: name, text: text, args: args}
			for _, f := range flags {
				if value, ok := strings.CutPrefix(f, "-goexperiment="); ok {
					p.env = append(p.env, "GOEXPERIMENT="+value)
				} else {
					p.flags = append(p.flags, f)
				}
			}
			list = append(list, p)
		}
		return nil
	})
	return list, err
}

// runLine reads the first line of a file that is not empty: "// run", flags of the go command,
// arguments.
func runLine(text string) (flags, args []string, ok bool) {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	words := split(line)
	if len(words) < 2 || words[0] != "//" || words[1] != "run" {
		return nil, nil, false
	}
	words = words[2:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		n := 1
		if words[0] == "-goexperiment" {
			n = min(2, len(words)) // its value is a word of its own
		}
		flags, words = append(flags, strings.Join(words[:n], "=")), words[n:]
	}
	return flags, words, true
}

// split splits a line as $GOROOT/test has it: a word may have ' or " around a part of it.
func split(line string) (words []string) {
	var quote rune
	var word strings.Builder
	inside := false
	for _, c := range line + " " {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inside = c, true
		case quote == 0 && unicode.IsSpace(c):
			if inside {
				words = append(words, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	return words
}

// parseExceptions reads lines of a program's name and the reason for which it differs.
func parseExceptions(text string) (map[string]string, error) {
	known := map[string]string{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, reason, ok := strings.Cut(line, "\t")
		if reason = strings.TrimSpace(reason); !ok || reason == "" || known[name] != "" {
			return nil, fmt.Errorf("exceptions.txt:%d: want a name, a tab and a reason, each name once", n)
		}
		known[name] = reason
	}
	return known, nil
}
