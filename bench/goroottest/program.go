package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// program is a file of $GOROOT/test that is a whole program.
type program struct {
	name  string // below $GOROOT/test
	text  []byte
	flags []string // of go build
	args  []string // of the program
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
			list = append(list, &program{name, text, flags, args})
		}
		return nil
	})
	return list, err
}

// runLine reads the first line of a file that is not empty: "// run", flags of the go command, arguments.
func runLine(text string) (flags, args []string, ok bool) {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "//" || words[1] != "run" {
		return nil, nil, false
	}
	words = words[2:]
	n := 0
	for n < len(words) && strings.HasPrefix(words[n], "-") {
		n++
	}
	return words[:n], words[n:], true
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
