package smt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// programs are the known solvers: the arguments with which they read queries from standard input (a
// time limit in milliseconds is appended), and the command that checks a query. z3 is asked for its
// general search: that for QF_BV translates the whole query to SAT first and takes two to four
// times as long.
var programs = map[string]struct {
	args  []string
	check string
}{
	"z3":   {[]string{"-smt2", "-in", "-t:"}, "(check-sat-using smt)"},
	"cvc5": {[]string{"--lang=smt2", "--incremental", "--produce-models", "--tlimit-per="}, "(check-sat)"},
}

// Names are the known solvers.
func Names() []string { return []string{"z3", "cvc5"} }

// Process is a solver that runs as a process of its own. It is started for the first query, and
// again after a query that ended it. It is not safe for concurrent use.
type Process struct {
	path  string
	args  []string
	check string
	limit time.Duration

	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// DefaultLimit is the time limit of a query.
const DefaultLimit = 10 * time.Second

// Find finds a solver on PATH. A query that takes longer than the limit is unknown; 0:
// DefaultLimit.
func Find(name string, limit time.Duration) (*Process, error) {
	program, ok := programs[name]
	if !ok {
		return nil, fmt.Errorf("solver %q is none of %s", name, strings.Join(Names(), ", "))
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("solver %s: there is no program %q on PATH (on Debian: apt-get install %s)", name, name, name)
	}
	if limit == 0 {
		limit = DefaultLimit
	}
	args := slices.Clone(program.args)
	args[len(args)-1] += strconv.FormatInt(limit.Milliseconds(), 10)
	return &Process{path: path, args: args, check: program.check, limit: limit}, nil
}

// Close ends the process.
func (p *Process) Close() error {
	if p.cmd == nil {
		return nil
	}
	p.in.Close()
	err := p.cmd.Wait()
	p.cmd = nil
	return err
}

func (p *Process) start() error {
	if p.cmd != nil {
		return nil
	}
	cmd := exec.Command(p.path, p.args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", p.path, err)
	}
	p.cmd, p.in, p.out = cmd, in, bufio.NewReader(out)
	return nil
}

// kill ends a process whose state is unknown.
func (p *Process) kill() {
	p.cmd.Process.Kill()
	p.in.Close()
	p.cmd.Wait()
	p.cmd = nil
}

// errTime is the error of a query that took longer than the limit.
var errTime = errors.New("time limit")

// solve asks whether a query is satisfiable and, if it is, for the values of unknowns, which are
// words. If the solver gives up or exceeds the time limit, the error is errTime.
func (p *Process) solve(logic, query string, unknowns []sexp) (sat bool, model map[sexp]uint64, err error) {
	if err := p.start(); err != nil {
		return false, nil, err
	}
	// Neither solver keeps its own limit in all phases.
	late := false
	watch := time.AfterFunc(2*p.limit+time.Second, func() { late = true; p.cmd.Process.Kill() })
	defer func() {
		stopped := watch.Stop()
		if err != nil && err != errTime {
			p.kill()
			if !stopped && late {
				err = errTime
			}
		}
	}()
	if _, err := fmt.Fprintf(p.in, "(reset)\n(set-logic %s)\n%s%s\n", logic, query, p.check); err != nil {
		return false, nil, err
	}
	answer, err := p.line()
	if err != nil {
		return false, nil, err
	}
	switch answer {
	case "sat":
		if len(unknowns) == 0 {
			return true, nil, nil
		}
	case "unsat":
		return false, nil, nil
	case "unknown", "timeout":
		return false, nil, errTime
	default:
		return false, nil, fmt.Errorf("%s answered %s", p.path, answer)
	}
	var list []string
	for _, u := range unknowns {
		list = append(list, string(u))
	}
	if _, err := fmt.Fprintf(p.in, "(get-value (%s))\n", strings.Join(list, " ")); err != nil {
		return false, nil, err
	}
	text, err := p.balanced()
	if err != nil {
		return false, nil, err
	}
	model, err = parseModel(text)
	return true, model, err
}

// line reads a line that is not empty.
func (p *Process) line() (string, error) {
	for {
		s, err := p.out.ReadString('\n')
		if s = strings.TrimSpace(s); s != "" {
			return s, nil
		}
		if err != nil {
			return "", fmt.Errorf("%s ended: %w", p.path, err)
		}
	}
}

// balanced reads up to the end of an expression in parentheses.
func (p *Process) balanced() (string, error) {
	var text strings.Builder
	for depth := 0; ; {
		s, err := p.out.ReadString('\n')
		text.WriteString(s)
		depth += strings.Count(s, "(") - strings.Count(s, ")")
		if depth == 0 && strings.Contains(text.String(), "(") {
			return text.String(), nil
		}
		if err != nil {
			return "", fmt.Errorf("%s ended: %w", p.path, err)
		}
	}
}

// parseModel reads what get-value prints, for words: ((x #b101) (y #x5) (z (_ bv5 3))).
func parseModel(text string) (map[sexp]uint64, error) {
	model := map[sexp]uint64{}
	f := strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(text))
	f = slices.DeleteFunc(f, func(s string) bool { return s == "_" })
	for len(f) > 0 {
		if len(f) == 1 {
			return nil, fmt.Errorf("a model ends after %q: %s", f[0], text)
		}
		x, v := sexp(f[0]), f[1]
		f = f[2:]
		n, err := uint64(0), error(nil)
		switch {
		case strings.HasPrefix(v, "#b"):
			n, err = strconv.ParseUint(v[2:], 2, 64)
		case strings.HasPrefix(v, "#x"):
			n, err = strconv.ParseUint(v[2:], 16, 64)
		case strings.HasPrefix(v, "bv"):
			n, err = strconv.ParseUint(v[2:], 10, 64)
			f = f[min(1, len(f)):] // the width
		default:
			err = errors.New("not a word")
		}
		if err != nil {
			return nil, fmt.Errorf("the model's %s is %q: %w", x, v, err)
		}
		model[x] = n
	}
	return model, nil
}
