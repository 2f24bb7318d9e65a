// Command wrap breaks comment lines of Go files that are wider than 100 columns.
//
//	go -C tools run ./wrap [-l] FILE...
//
// A paragraph with a wide line is filled anew; its indentation and the mark of its list item or
// rule stay. A wide comment behind code goes above it, or if the code ends with a brace or a
// colon, below. Drawings, tables and directives are left. With -l it only lists what it would
// change.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"log"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

// width is the number of columns of a comment line, a tab counted as 4.
const width = 100

func main() {
	log.SetFlags(0)
	list := flag.Bool("l", false, "list the files that would change")
	flag.Parse()
	for _, name := range flag.Args() {
		src, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		out, err := wrap(src)
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		switch {
		case bytes.Equal(out, src):
		case *list:
			fmt.Println(name)
		default:
			if err := os.WriteFile(name, out, 0o666); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// wrap returns the source with its comments broken.
func wrap(src []byte) ([]byte, error) {
	lines := strings.Split(string(src), "\n")
	starts := comments(src)
	var out []string
	for i := 0; i < len(lines); i++ {
		col, ok := starts[i+1]
		switch {
		case !ok || directive(lines[i][col:]):
			out = append(out, lines[i])
		case strings.TrimSpace(lines[i][:col]) != "":
			out = append(out, behind(lines[i], col)...)
		default:
			end := i + 1
			for end < len(lines) {
				c, ok := starts[end+1]
				if !ok || strings.TrimSpace(lines[end][:c]) != "" || directive(lines[end][c:]) {
					break
				}
				end++
			}
			out = append(out, block(lines[i:end])...)
			i = end - 1
		}
	}
	return format.Source([]byte(strings.Join(out, "\n")))
}

// comments returns by line where its line comment begins.
func comments(src []byte) map[int]int {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	found := map[int]int{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.COMMENT && strings.HasPrefix(text, "//") {
			p := fset.Position(pos)
			found[p.Line] = p.Column - 1
		}
	}
}

// directive reports whether a comment is read by a tool.
var directive = regexp.MustCompile(`^//(?:[a-z]+:|line |export | race\(|nolint| Output:| Unordered output:)`).MatchString

// columns is the number of columns of a line.
func columns(line string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
}

// behind moves the comment of a line of code if the line is wide.
func behind(line string, col int) []string {
	if columns(line) <= width {
		return []string{line}
	}
	code, text := strings.TrimRight(line[:col], " \t"), strings.TrimSpace(line[col+2:])
	indent := code[:len(code)-len(strings.TrimLeft(code, "\t"))]
	if strings.HasSuffix(code, "{") || strings.HasSuffix(code, ":") {
		return append([]string{code}, fill(indent+"\t// ", indent+"\t// ", strings.Fields(text))...)
	}
	return append(fill(indent+"// ", indent+"// ", strings.Fields(text)), code)
}

// mark is the beginning of an indented list item or rule: what stands in front of its text. A rule
// that is not indented is a paragraph.
var mark = regexp.MustCompile(`^((?:\t\s*|  \s*)(?:- \([A-Z]+\d+\)|\([A-Z]+\d+\)|-|\d+\.)\s+)`)

// drawn reports whether a line is part of a drawing or a table.
func drawn(text string) bool {
	t := strings.TrimSpace(text)
	return strings.Contains(t, "  ") && !mark.MatchString(text) || strings.Contains(t, "\t") || strings.HasPrefix(t, "|")
}

// block fills the paragraphs of a comment that have a wide line.
func block(lines []string) []string {
	var out []string
	for i := 0; i < len(lines); {
		end := i + 1
		indent, text := split(lines[i])
		own, body := prefix(text)
		rest := own
		if m := mark.FindString(text); m != "" {
			rest = "" // that of the next line, if it is deeper
		}
		for end < len(lines) && !ends(lines[end], own, &rest, mark.MatchString(text)) {
			end++
		}
		if !wide(lines[i:end]) || body == "" || drawn(text) {
			out = append(out, lines[i:end]...)
			i = end
			continue
		}
		first := own
		if m := mark.FindString(text); m != "" {
			first = m
			if rest == "" {
				rest = strings.Repeat(" ", len(m))
				if strings.HasPrefix(m, "\t") {
					rest = "\t" + strings.Repeat(" ", len(m)-1)
				}
			}
		}
		words := strings.Fields(strings.TrimPrefix(text, first))
		for _, l := range lines[i+1 : end] {
			_, t := split(l)
			words = append(words, strings.Fields(t)...)
		}
		out = append(out, fill(indent+"//"+first, indent+"//"+rest, words)...)
		i = end
	}
	return out
}

// ends reports whether a line does not go on with a paragraph whose first line has the prefix own.
func ends(line, own string, rest *string, item bool) bool {
	_, text := split(line)
	p, body := prefix(text)
	if body == "" || mark.MatchString(text) || drawn(text) || strings.HasPrefix(body, "#") {
		return true
	}
	if item && *rest == "" {
		if len(p) <= len(own) {
			return true
		}
		*rest = p
		return false
	}
	return p != *rest
}

func wide(lines []string) bool {
	for _, l := range lines {
		if columns(l) > width {
			return true
		}
	}
	return false
}

// split returns a comment line's indentation and its text behind the slashes.
func split(line string) (indent, text string) {
	at := strings.Index(line, "//")
	return line[:at], line[at+2:]
}

// prefix returns the white space in front of a text, and what is behind it.
func prefix(text string) (space, body string) {
	body = strings.TrimLeft(text, " \t")
	return text[:len(text)-len(body)], strings.TrimSpace(body)
}

// bare are words that begin a list, a heading or a rule where they begin a line.
var bare = regexp.MustCompile(`^(?:[-+*•#]+|\d+\.|\([A-Z]+\d+\))$`)

// fill breaks words into lines with a prefix.
func fill(first, rest string, words []string) []string {
	var out []string
	line, from := first, 0
	for i, w := range words {
		if i > from && columns(line+" "+w) > width {
			k := i
			for k > from+1 && bare.MatchString(words[k]) {
				k-- // the word in front comes along
			}
			out = append(out, strings.TrimRight(rest0(out, first, rest)+strings.Join(words[from:k], " "), " "))
			from, line = k, rest+strings.Join(words[k:i], " ")
			if k < i {
				line += " "
			}
			line += w
			continue
		}
		if i > from {
			line += " "
		}
		line += w
	}
	return append(out, rest0(out, first, rest)+strings.Join(words[from:], " "))
}

// rest0 is the prefix of the next line.
func rest0(out []string, first, rest string) string {
	if len(out) == 0 {
		return first
	}
	return rest
}
