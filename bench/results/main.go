// Command results writes the tables of docs/results.md from the figures in bench/results.
//
//	go -C bench run ./results [-check]
//
// A file of figures is in the format of Go's benchmarks (golang.org/design/14313-benchmark-format),
// most of them the output of a command of bench. Its configuration lines say what was measured:
//
//	what:     the row's title
//	command:  what was run
//	asked:    the figure that was to be reached
//	date:     when
//	load:     quiet, if nothing else ran on the machine, or shared
//
// The page has two kinds of marks; what stands between a mark and <!-- end --> is replaced:
//
//	<!-- rows recording.txt -->
//	<!-- table growth.txt /level:path | events=Mevents | x=presage-cpu-s over race-cpu-s -->
//
// Rows prints a row for each benchmark, with all its figures. Table prints a row for each
// benchmark that the filter takes (* takes all; the syntax is that of benchfilter) and a column
// for each unit; "over" divides two units, and has the geometric mean of its column below.
//
// With -check, nothing is written, and the command fails if the page is not what it would write.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("results: ")
	check := flag.Bool("check", false, "fail if the page is not up to date")
	page := flag.String("page", "../docs/results.md", "the page")
	figures := flag.String("figures", "results", "the directory of figures")
	flag.Parse()
	old, err := os.ReadFile(*page)
	if err != nil {
		log.Fatal(err)
	}
	text, err := fill(string(old), *figures)
	switch {
	case err != nil:
		log.Fatalf("%s: %v", *page, err)
	case bytes.Equal(old, []byte(text)):
	case *check:
		log.Fatalf("%s is not what the figures say: run go -C bench run ./results", *page)
	default:
		if err := os.WriteFile(*page, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

const end = "<!-- end -->"

// fill returns the page with its tables made anew.
func fill(page, figures string) (string, error) {
	var out strings.Builder
	inside := false
	for n, line := range strings.Split(strings.TrimSuffix(page, "\n"), "\n") {
		mark, isMark := strings.CutPrefix(line, "<!-- ")
		switch {
		case line == end:
			inside = false
		case isMark && inside:
			return "", fmt.Errorf("line %d: the mark before it has no %s", n+1, end)
		case isMark:
			table, err := makeTable(strings.TrimSuffix(mark, " -->"), figures)
			if err != nil {
				return "", fmt.Errorf("line %d: %w", n+1, err)
			}
			out.WriteString(line + "\n" + table)
			inside = true
			continue
		}
		if !inside {
			out.WriteString(line + "\n")
		}
	}
	if inside {
		return "", fmt.Errorf("a mark has no %s", end)
	}
	return out.String(), nil
}

// makeTable returns the table that a mark asks for.
func makeTable(mark, figures string) (string, error) {
	kind, rest, _ := strings.Cut(mark, " ")
	name, spec, _ := strings.Cut(rest, " ")
	name = filepath.Join(figures, name)
	switch kind {
	case "rows":
		return rows(name)
	case "table":
		return table(name, spec)
	}
	return "", fmt.Errorf("a mark begins with rows or table, not %q", kind)
}
