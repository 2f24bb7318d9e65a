package mutants

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// access is one of the two accesses of a race, as a detector reports it.
type access struct {
	Kind string `json:"kind"`
	// Line is where the access is, as FILE:LINE. It is empty if the detector does not know.
	Line string `json:"line"`
	Func string `json:"func"`          // of Line: a declared function, without package
	Top  string `json:"top,omitempty"` // the innermost frame, if that is another
}

// race is a report of a detector.
type race struct {
	A    access `json:"a"`
	B    access `json:"b"`
	Tier string `json:"tier,omitempty"` // of presage
	// of presage: in the recorded run itself, whatever a replay made of it
	Observed bool   `json:"observed,omitempty"`
	Object   string `json:"object,omitempty"` // of presage
	ID       string `json:"id,omitempty"`     // of presage
}

// frame is an entry of a stack.
type frame struct {
	fn, file string
	line     int
}

var (
	accessLine = regexp.MustCompile(`^(?:Previous )?((?i:atomic )?(?i:read|write)) at 0x[0-9a-f]+ by `)
	funcLine   = regexp.MustCompile(`^  (\S.*)\(\)$`)
	frameLine  = regexp.MustCompile(`^      (.+):(\d+) \+0x`)
)

// readRaces reads what Go's race detector printed.
func readRaces(text string, p places) []race {
	var all []race
	for _, report := range strings.Split(text, "==================\n") {
		if !strings.HasPrefix(report, "WARNING: DATA RACE") {
			continue
		}
		var kinds []string
		var stacks [][]frame
		within, fn := false, ""
		for line := range strings.Lines(report) {
			line = strings.TrimRight(line, "\r\n")
			if m := accessLine.FindStringSubmatch(line); m != nil {
				kinds, stacks, within = append(kinds, strings.ToLower(m[1])), append(stacks, nil), true
			} else if line != "" && line[0] != ' ' {
				within = false // of another stack
			} else if m := funcLine.FindStringSubmatch(line); m != nil {
				fn = m[1]
			} else if m := frameLine.FindStringSubmatch(line); m != nil && within {
				n, _ := strconv.Atoi(m[2])
				k := len(stacks) - 1
				stacks[k] = append(stacks[k], frame{fn, m[1], n})
			}
		}
		if len(stacks) == 2 {
			all = append(all, race{A: p.access(kinds[0], stacks[0]), B: p.access(kinds[1], stacks[1])})
		}
	}
	return all
}

// places shortens the names of files.
type places struct {
	dir, goroot, cache string // the module, GOROOT, the module cache
}

func (p places) short(file string) string {
	for _, d := range []struct{ dir, name string }{{p.dir, ""}, {p.goroot, "$GOROOT/"}, {p.cache, "$GOMODCACHE/"}} {
		if rel, err := filepath.Rel(d.dir, file); d.dir != "" && err == nil && filepath.IsLocal(rel) {
			return d.name + filepath.ToSlash(rel)
		}
	}
	return file
}

// access reduces a stack to a line (lines, in the package doc).
func (p places) access(kind string, stack []frame) access {
	a := access{Kind: kind}
	if len(stack) == 0 {
		return a
	}
	if atomicFrame(stack[0]) {
		a.Top = p.short(stack[0].file) + ":" + strconv.Itoa(stack[0].line)
		return a
	}
	at := func(f frame) string { return p.short(f.file) + ":" + strconv.Itoa(f.line) }
	chosen := -1
	for i, f := range stack {
		if rel, err := filepath.Rel(p.dir, f.file); err == nil && filepath.IsLocal(rel) {
			chosen = i
			break
		}
	}
	for i := 0; chosen < 0 && i < len(stack); i++ {
		if !runtimeFrame(stack[i].fn) {
			chosen = i
		}
	}
	chosen = max(chosen, 0)
	a.Line, a.Func = at(stack[chosen]), declared(stack[chosen].fn)
	if chosen > 0 {
		a.Top = at(stack[0])
	}
	return a
}

// atomicFrame reports whether a frame is that of an atomic operation in assembly. Below it, -race
// has not the function that makes the operation but a caller of that.
func atomicFrame(f frame) bool {
	return strings.HasPrefix(f.fn, "sync/atomic.") && strings.HasPrefix(filepath.Base(f.file), "race_")
}

var runtimeFunc = regexp.MustCompile(`^(runtime|internal/runtime/[a-z/]+|internal/race|internal/sync|sync|sync/atomic|reflect)\.`)

// runtimeFrame reports whether a function only carries out an access for its caller.
func runtimeFrame(fn string) bool { return runtimeFunc.MatchString(fn) }

var (
	typeArgs = regexp.MustCompile(`\[[^\[\]]*\]`)
	literal  = regexp.MustCompile(`^(func\d+|gowrap\d+|deferwrap\d+|\d+)$`)
)

// declared is the declared function that a function is or is a literal of, as T.M or F, for names
// as path/p.(*T).M.func1 or (*path/p.T).M$1.
func declared(fn string) string {
	for {
		s := typeArgs.ReplaceAllString(fn, "")
		if s == fn {
			break
		}
		fn = s
	}
	fn = strings.ReplaceAll(fn[strings.LastIndexByte(fn, '/')+1:], "%2e", ".")
	fn, _, _ = strings.Cut(fn, "$")
	fn = strings.NewReplacer("(", "", ")", "", "*", "").Replace(fn)
	var parts []string
	for i, s := range strings.Split(fn, ".") {
		if literal.MatchString(s) && i > 1 {
			break
		}
		if i > 0 {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ".")
}
