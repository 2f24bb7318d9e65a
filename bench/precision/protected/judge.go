package protected

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
)

// verdict is what became of a program: a line of the state file.
type verdict struct {
	Judge, Family, Name, Text string // Text: a hash of the program

	Dropped string   // why the program was not judged
	Failed  string   // why presage did not judge it
	False   []string // tier and ID of each race of the writes of the protected form
	Twin    string   // the tier of the race of the twin, "" if it is missing
	Apart   string   // the tier of the race of the apart form, "none" if there is no such form
	Other   []string // races of other memory, in either form
}

// noForm is the value of Apart for a program without an apart form.
const noForm = "none"

// judged is a program that has no verdict yet.
type judged struct {
	verdict
	program *program
	group   int
	checked bool           // by an earlier command
	lines   map[form][]int // of the writes of x
}

// judge checks programs and runs presage on them.
type judge struct {
	options *options
	dir     string // of the module
	temp    string // to remove
	id      string // of presage and its flags
	state   *session.State[verdict]
	cases   []*judged
}

func newJudge(o *options) (*judge, error) {
	j := &judge{options: o, dir: o.dir}
	var err error
	if j.temp, err = os.MkdirTemp("", "presage-protected-"); err != nil {
		return nil, err
	}
	if j.dir == "" {
		j.dir = filepath.Join(j.temp, "module")
	}
	if j.dir, err = filepath.Abs(j.dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(j.dir, 0o777); err != nil {
		return nil, err
	}
	if o.presage == "" && !o.check {
		o.presage = filepath.Join(j.temp, "presage")
		if err := session.Build(context.Background(), o.presage); err != nil {
			return nil, err
		}
	}
	if j.id, err = judgeID(o); err != nil {
		return nil, err
	}
	j.state, err = session.OpenState[verdict](o.state)
	return j, err
}

func (j *judge) close() { os.RemoveAll(j.temp) }

// judge returns the verdicts of the programs, in their order.
func (j *judge) judge(programs []*program) ([]*verdict, error) {
	var all []*verdict
	for _, p := range programs {
		all = append(all, j.start(p))
	}
	if len(j.cases) == 0 {
		return all, nil
	}
	if err := j.writeModule(); err != nil {
		return nil, err
	}
	j.progress("checking %d programs", len(j.cases))
	if err := j.check(); err != nil {
		return nil, err
	}
	if err := j.keepChecked(); err != nil || j.options.check {
		return all, err
	}
	for _, p := range j.packages('p') {
		if err := j.predict(p); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (j *judge) progress(format string, arg ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arg...)
}

// start returns the verdict that a program has, or the one that it is going to have.
func (j *judge) start(p *program) *verdict {
	checked := find(j.state, unjudged, p)
	if v := find(j.state, j.id, p); v != nil {
		return v
	}
	if checked != nil && checked.Dropped != "" {
		return checked
	}
	c := &judged{program: p, lines: map[form][]int{}, checked: checked != nil}
	c.verdict = verdict{Judge: j.id, Family: p.family, Name: p.name, Text: p.hash()}
	if !p.separable() {
		c.Apart = noForm
	}
	j.cases = append(j.cases, c)
	return &c.verdict
}

// keepChecked notes in the state file what was checked.
func (j *judge) keepChecked() error {
	for _, c := range j.cases {
		if c.checked {
			continue
		}
		v := c.verdict
		v.Judge = unjudged
		if err := j.state.Add(&v); err != nil {
			return err
		}
	}
	return nil
}

// predict runs presage on one package, and gives its programs their verdicts.
func (j *judge) predict(pkg string) error {
	arg := append([]string{"test", "-format=json", "-confirm=off"}, strings.Fields(j.options.flags)...)
	cmd := j.command(j.options.presage, append(arg, "./"+pkg)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	races, summary, err := readReport(&out)
	if err != nil {
		return err
	}
	failure := ""
	if summary == nil {
		failure = "presage gave no report: " + tail(log.String())
	} else {
		j.progress("%s: %d events, %d races, %d undecided, %.0f s of analysis", pkg, summary.Events, summary.Races, summary.Undecided, summary.Seconds)
	}
	j.noteFailures(pkg, failure, log.String())
	for _, r := range races {
		j.note(r)
	}
	for _, c := range j.cases {
		if c.Dropped == "" && c.pkg(protected) == pkg {
			if err := j.state.Add(&c.verdict); err != nil {
				return err
			}
		}
	}
	return nil
}

// failedTest is the line of a test that failed under presage.
var failedTest = regexp.MustCompile(`--- FAIL: (Test_\S+)`)

// noteFailures notes which programs of a package presage did not see as they should run.
func (j *judge) noteFailures(pkg, failure, log string) {
	for _, c := range j.cases {
		if c.Dropped == "" && c.pkg(protected) == pkg {
			c.Failed = failure
		}
	}
	for _, m := range failedTest.FindAllStringSubmatch(log, -1) {
		if c, f := j.byTest(m[1]); c != nil {
			c.Failed = fmt.Sprintf("the %s test failed under presage", f)
		}
	}
}

// tail is the end of a text.
func tail(text string) string {
	text = strings.TrimSpace(text)
	return strings.ReplaceAll(text[max(0, len(text)-300):], "\n", " | ")
}

// readReport reads the races and the summary of a report, nil if it has none.
func readReport(r io.Reader) (races []*report.Race, summary *report.Summary, err error) {
	for dec := json.NewDecoder(r); ; {
		var m report.Message
		if err := dec.Decode(&m); err == io.EOF {
			return races, summary, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("reading the report: %w", err)
		}
		if m.Race != nil {
			races = append(races, m.Race)
		}
		if m.Summary != nil {
			summary = m.Summary
		}
	}
}

// note adds a race to the verdict of its program.
func (j *judge) note(r *report.Race) {
	c, f := j.byFile(r.A.File)
	d, _ := j.byFile(r.B.File)
	if c == nil {
		c, f = j.byFile(r.B.File)
	}
	if c == nil {
		j.progress("a race of no program: %s, %s and %s", r.ID, r.A.File, r.B.File)
		return
	}
	text := fmt.Sprintf("%s %s %s", f, r.Tier, r.ID)
	switch {
	case c != d || !slices.Contains(c.lines[f], r.A.Line) || !slices.Contains(c.lines[f], r.B.Line):
		c.Other = append(c.Other, fmt.Sprintf("%s %s:%d %s:%d %s", text, filepath.Base(r.A.File), r.A.Line, filepath.Base(r.B.File), r.B.Line, r.Object))
	case f == protected:
		c.False = append(c.False, text)
	case f == apart:
		c.Apart = string(r.Proof())
	default:
		c.Twin = string(r.Proof())
	}
}
