package protected

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// openTries is how often the open forms run until -race has reported them.
const openTries = 5

// check drops the programs that are not what they should be.
func (j *judge) check() error {
	if j.allChecked("") {
		return nil
	}
	if err := j.vet(); err != nil {
		return err
	}
	for _, mode := range [][]string{nil, {"-race"}} {
		for _, p := range j.packages('p') {
			if j.allChecked(p) {
				continue
			}
			if err := j.passes(p, mode); err != nil {
				return err
			}
		}
	}
	for _, p := range j.packages('o') {
		if err := j.opens(p); err != nil {
			return err
		}
	}
	return nil
}

// allChecked reports whether an earlier command has checked all programs of a package, or of all.
func (j *judge) allChecked(pkg string) bool {
	return !slices.ContainsFunc(j.cases, func(c *judged) bool {
		return !c.checked && (pkg == "" || c.pkg(protected) == pkg)
	})
}

// complaint is a line of go vet about a file of the module.
var complaint = regexp.MustCompile(`(?m)^(?:vet: )?((?:\./)?[a-z0-9]+/[a-z0-9A-Z-]+_test\.go):\d+:\d+: (.*)`)

// vet drops the programs that go vet complains about, until it does not. The compiler stops at
// ten errors of a package, so this takes several turns.
func (j *judge) vet() error {
	for {
		out, err := j.command("go", "vet", "./...").CombinedOutput()
		if err == nil {
			return nil
		}
		found := false
		for _, m := range complaint.FindAllStringSubmatch(string(out), -1) {
			if c, _ := j.byFile(m[1]); c != nil && c.Dropped == "" {
				found = true
				j.drop(c, "go vet: "+m[2])
			}
		}
		if !found {
			return fmt.Errorf("go vet: %w\n%s", err, out)
		}
	}
}

// testRun is what a run of the tests of one package says.
type testRun struct {
	result map[string]string // by test: pass or fail
	output map[string]string
	last   string // the test that was running last
	rest   string // output of no test
}

// test runs the tests of a package.
func (j *judge) test(pkg string, arg ...string) (*testRun, error) {
	arg = append([]string{"test", "-json", "-vet=off", "-count=1", "-timeout=60s"}, arg...)
	out, err := j.command("go", append(arg, "./"+pkg)...).Output()
	r := &testRun{result: map[string]string{}, output: map[string]string{}}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch {
		case e.Action == "run":
			r.last = e.Test
		case e.Test != "" && (e.Action == "pass" || e.Action == "fail"):
			r.result[e.Test] = e.Action
		case e.Test == "" && e.Action == "output":
			r.rest += e.Output
		case e.Action == "output":
			r.output[e.Test] += e.Output
		}
	}
	if r.last == "" {
		return nil, fmt.Errorf("go test %s ran no test: %v\n%s", pkg, err, out)
	}
	return r, nil
}

// broken returns the test whose end the package did not survive, "" if all tests have ended.
func (j *judge) broken(r *testRun, pkg string) string {
	for _, c := range j.cases {
		for _, f := range c.forms() {
			if c.Dropped == "" && c.pkg(f) == pkg && r.result[c.program.testName(f)] == "" {
				return r.last
			}
		}
	}
	return ""
}

// passes drops the programs of a package whose tests fail or break the package.
func (j *judge) passes(pkg string, mode []string) error {
	for slices.Contains(j.packages('p'), pkg) {
		r, err := j.test(pkg, mode...)
		if err != nil {
			return err
		}
		for name, result := range r.result {
			if c, f := j.byTest(name); result == "fail" && c != nil {
				j.drop(c, string(f)+why(r.output[name], mode))
			}
		}
		name := j.broken(r, pkg)
		if name == "" {
			return nil
		}
		c, f := j.byTest(name)
		if c == nil {
			return fmt.Errorf("%s: %s broke", pkg, name)
		}
		j.drop(c, string(f)+why(r.output[name]+r.rest, mode))
	}
	return nil
}

// why shortens the output of a test that failed.
func why(output string, mode []string) string {
	text := " "
	if mode != nil {
		text = " with -race: "
	}
	if i := strings.Index(output, "DATA RACE"); i >= 0 {
		return text + "DATA RACE " + strings.Join(raceLine.FindAllString(output, 4), " ")
	}
	var lines []string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "===") {
			lines = append(lines, line)
		}
	}
	text += strings.Join(lines, " | ")
	return text[:min(len(text), 300)]
}

// raceLine is a position in a report of the race detector.
var raceLine = regexp.MustCompile(`[^/\s]+_test\.go:(\d+)`)

// opens drops the programs of a package whose open form -race does not report, or whose
// predicate is true before the store.
func (j *judge) opens(pkg string) error {
	seen := map[*judged]bool{}
	for range openTries {
		var names []string
		for _, c := range j.cases {
			for _, f := range c.forms() {
				if c.Dropped == "" && c.pkg(f) == pkg && !seen[c] {
					names = append(names, c.program.testName(f))
				}
			}
		}
		if len(names) == 0 {
			return nil
		}
		r, err := j.test(pkg, "-race", "-run=^("+strings.Join(names, "|")+")$")
		if err != nil {
			return err
		}
		for _, name := range names {
			j.judgeOpen(name, r, seen)
		}
	}
	for _, c := range j.cases {
		if c.Dropped == "" && c.pkg(open) == pkg && slices.Contains(c.forms(), open) && !seen[c] {
			j.drop(c, "open: no race of the writes of x in five runs")
		}
	}
	return nil
}

// judgeOpen looks at the run of one open form.
func (j *judge) judgeOpen(name string, r *testRun, seen map[*judged]bool) {
	c, f := j.byTest(name)
	out := r.output[name]
	switch {
	case strings.Contains(out, "before the store"):
		j.drop(c, string(f)+": the predicate is true before the store")
	case r.result[name] == "" && r.last == name:
		j.drop(c, string(f)+why(out+r.rest, []string{"-race"}))
	case f == open && c.reportedRace(out):
		seen[c] = true
	}
}

// reportedRace reports whether a report of the race detector is of the two writes.
func (c *judged) reportedRace(output string) bool {
	for block := range strings.SplitSeq(output, "WARNING: DATA RACE") {
		var lines []int
		for _, part := range strings.Split(block, "\n\n") {
			if m := raceLine.FindStringSubmatch(part); m != nil && strings.Contains(part, " at 0x") {
				n, _ := strconv.Atoi(m[1]) // of digits
				lines = append(lines, n)
			}
		}
		slices.Sort(lines)
		if slices.Equal(lines, c.lines[open]) {
			return true
		}
	}
	return false
}
