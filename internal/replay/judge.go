package replay

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Line is a place in the source.
type Line struct {
	File string
	Line int
	// of outside code, which is known by it in place of the file; in a report: of the frame
	Func string
	// how many lines a report may be off: the stack of an atomic operation lacks the call that
	// makes it, or has the line before
	Near int
}

// report is what the race detector prints of one race.
type report struct {
	text   string
	stacks [][]Line // of the two accesses, innermost first
}

var (
	accessLine = regexp.MustCompile(`^(Previous )?(?i:atomic )?(?i:read|write) at 0x[0-9a-f]+ by `)
	frameLine  = regexp.MustCompile(`^      (.+):(\d+) \+0x`)
)

// reportEnd is the line before and behind each report.
const reportEnd = "==================\n"

// reports takes the race detector's output apart.
func reports(text string) []report {
	var out []report
	for _, block := range strings.Split(text, reportEnd) {
		if !strings.HasPrefix(block, "WARNING: DATA RACE") {
			continue
		}
		r := report{text: block}
		within, function := false, ""
		for _, line := range strings.Split(block, "\n") {
			switch m := frameLine.FindStringSubmatch(line); {
			case accessLine.MatchString(line):
				r.stacks, within = append(r.stacks, nil), true
			case line != "" && line[0] != ' ':
				within = false
			case m != nil && within:
				n, _ := strconv.Atoi(m[2])
				k := len(r.stacks) - 1
				r.stacks[k] = append(r.stacks[k], Line{File: m[1], Line: n, Func: function})
			case strings.HasPrefix(line, "  "):
				function = strings.TrimSuffix(strings.TrimSpace(line), "()")
			}
		}
		out = append(out, r)
	}
	return out
}

// Judge returns the detector's report of a race between two lines, "" if there is none in its
// output. Of each stack the innermost frame counts that is in one of the program's files, or in the
// function of outside code that makes the access: a map or a slice is accessed in the runtime.
// The detector has no frames of package syscall, which announces what the kernel does to a buffer.
func Judge(text string, a, b Line, ours func(file string) bool) string {
	for _, r := range reports(text) {
		if len(r.stacks) != 2 {
			continue
		}
		is := func(k int, l Line) bool {
			if strings.HasPrefix(l.Func, "syscall.") {
				return isRange(r.stacks[k])
			}
			return same(innermost(r.stacks[k], func(f Line) bool { return ours(f.File) || l.Func != "" && f.Func == l.Func }), l)
		}
		if is(0, a) && is(1, b) || is(0, b) && is(1, a) {
			return r.text
		}
	}
	return ""
}

// isRange reports whether an access is one that a function of package internal/race announced.
func isRange(stack []Line) bool {
	return len(stack) > 0 && (stack[0].Func == "runtime.racereadrange" || stack[0].Func == "runtime.racewriterange")
}

func innermost(stack []Line, counts func(Line) bool) Line {
	for _, l := range stack {
		if counts(l) {
			return l
		}
	}
	return Line{}
}

// same compares the line of a report with one of a race; -trimpath cuts the names of files.
func same(x, y Line) bool {
	if y.Func != "" {
		return x.Func == y.Func && x.Line == y.Line
	}
	if d := x.Line - y.Line; d > y.Near || -d > y.Near || x.File == "" {
		return false
	}
	return x.File == y.File || filepath.Base(x.File) == filepath.Base(y.File) && (strings.HasSuffix(y.File, x.File) || !filepath.IsAbs(x.File))
}
