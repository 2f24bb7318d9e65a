package goroot

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/session"
)

// The outcomes of a program.
const (
	same    = "same"
	differs = "differs"
	varies  = "varies" // plain, from run to run; the exit code is the same
	unbuilt = "does not build plain"
	slow    = "does not end plain"
)

// mostEvents is how many events of a trace are walked.
const mostEvents = 50_000_000

// result is what became of a program.
type result struct {
	Name       string
	Outcome    string
	Detail     string // where it differs
	Events     int64
	Mismatches int64
	Mismatch   string // the first one
	Cut        bool   // walked in part
	Opaque     int    // functions left as written
}

type tester struct {
	*session.Session
	dir   string
	limit time.Duration
}

// output is what a run of a program shows.
type output struct {
	code  int
	text  string // both streams
	ended bool   // within the limit
}

// program runs one program plain and under presage.
func (t *tester) program(ctx context.Context, p *program) (*result, error) {
	dir := filepath.Join(t.dir, "program")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Base(p.name)
	if err := os.WriteFile(filepath.Join(dir, file), p.text, 0o666); err != nil {
		return nil, err
	}
	r := &result{Name: p.name}
	bin := filepath.Join(t.dir, "plain")
	build := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", bin}, p.flags, []string{file})...)
	build.Dir, build.Env = dir, append(os.Environ(), p.env...)
	if text, err := build.CombinedOutput(); err != nil {
		r.Outcome, r.Detail = unbuilt, first(string(text))
		return r, ctx.Err()
	}
	plain, err := t.run(ctx, t.limit, dir, bin, p.args...)
	if err != nil {
		return nil, err
	}
	if !plain.ended {
		r.Outcome = slow
		return r, nil
	}
	recorded, err := t.recorded(ctx, dir, file, p, r)
	if err != nil {
		return nil, err
	}
	if r.Outcome, r.Detail = compare(plain, recorded); r.Outcome == differs && plain.code == recorded.code {
		for range 3 {
			again, err := t.run(ctx, t.limit, dir, bin, p.args...)
			if err != nil {
				return nil, err
			}
			if outcome, _ := compare(plain, again); outcome == differs {
				r.Outcome = varies
				break
			}
		}
	}
	return r, nil
}

// recorded runs a program under presage, and walks what was recorded.
func (t *tester) recorded(ctx context.Context, dir, file string, p *program, r *result) (*output, error) {
	kept := filepath.Join(t.dir, "trace")
	defer os.RemoveAll(kept)
	// presage takes its place
	flags := slices.DeleteFunc(slices.Clone(p.flags), func(f string) bool { return f == "-race" })
	args := slices.Concat([]string{"run", "-json", "-q", "-confirm=off", "-level=none", "-o", kept}, flags, []string{file}, p.args)
	limited, cancel := context.WithTimeout(ctx, 4*t.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, t.Presage, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), p.env...)
	var report, streams bytes.Buffer
	cmd.Stdout, cmd.Stderr = &report, &streams
	cmd.WaitDelay = time.Second
	cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out := &output{code: -1, text: streams.String(), ended: limited.Err() == nil}
	o, err := session.Read(report.Bytes())
	if err != nil {
		out.text += fmt.Sprintf("presage has no report: %v, exit code %d\n", err, cmd.ProcessState.ExitCode())
		return out, nil
	}
	out.code = o.Summary.ProgramCode
	for _, w := range o.Warnings {
		if w.Code == "opaque" {
			r.Opaque = w.Count
		}
	}
	return out, t.walk(ctx, kept, r)
}

// walk walks the traces that were kept.
func (t *tester) walk(ctx context.Context, kept string, r *result) error {
	names, err := session.TraceFiles(kept)
	if os.IsNotExist(err) {
		return nil // nothing was recorded
	}
	if err != nil {
		return err
	}
	w, err := session.Walk(ctx, names, mostEvents)
	if err != nil {
		return err
	}
	r.Events, r.Mismatches, r.Cut = w.Events, w.Mismatches, w.Cut > 0
	if len(w.First) > 0 {
		r.Mismatch = w.First[0].String()
	}
	return nil
}

func (t *tester) run(ctx context.Context, limit time.Duration, dir, bin string, args ...string) (*output, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, bin, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return nil, err
	}
	return &output{cmd.ProcessState.ExitCode(), string(text), limited.Err() == nil}, ctx.Err()
}

// compare says where two runs differ.
func compare(plain, recorded *output) (outcome, detail string) {
	if !recorded.ended {
		return differs, "the recorded program does not end"
	}
	if plain.code != recorded.code {
		return differs, fmt.Sprintf("exit code %d, not %d: %s", recorded.code, plain.code, tail(recorded.text))
	}
	a, b := lines(plain.text), lines(recorded.text)
	for i := range max(len(a), len(b)) {
		if x, y := at(a, i), at(b, i); x != y {
			return differs, fmt.Sprintf("line %d: %q, not %q", i+1, y, x)
		}
	}
	return same, ""
}

var noise = regexp.MustCompile(`goroutine \d+|0x[0-9a-f]+|\d+(\.\d+)?(ns|µs|ms|s)\b|exit status \d+`)

// lines are those that are compared: without what presage says itself, and what varies with a run.
// Stack traces are cut off.
func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "presage: ") {
			continue
		}
		if strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, ":") {
			break
		}
		list = append(list, noise.ReplaceAllString(line, "…"))
	}
	for len(list) > 0 && list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

func first(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return line
		}
	}
	return ""
}

func tail(text string) string {
	list := lines(text)
	return strings.Join(list[max(0, len(list)-3):], " | ")
}
