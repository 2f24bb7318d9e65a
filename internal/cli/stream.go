package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/presage-race/presage/internal/gotest"
	"github.com/presage-race/presage/internal/report"
)

// stream is the standard output of presage test -json: what go test -json prints, with the races.
// What presage says besides goes to standard error, as remarks.
type stream struct {
	*gotest.Stream
	stderr io.Writer // of the go command
}

// newStream returns the stream that a command line asks for, nil if it asks for none, and the Env
// of what is said besides.
func newStream(env *Env, g *goArgs, test bool) (*stream, *Env) {
	if !test || !g.json {
		return nil, env
	}
	details := slices.Contains(g.flags, "-v") || slices.Contains(g.flags, "-v=true")
	o := textOptions(env.Stdout)
	o.Color = false
	s := &stream{gotest.New(env.Stdout, func(races []*report.Race) string { return report.Findings(races, o, details) }), env.Stderr}
	if f := asFile(env.Stderr); f != nil && term.IsTerminal(int(f.Fd())) {
		return s, env
	}
	beside := *env
	beside.Stderr = &remarks{w: env.Stderr}
	return s, &beside
}

// end prints what is held of the tests, if no report has done so.
func (s *stream) end() {
	if s != nil {
		s.End(nil)
	}
}

// handler returns the Handler that puts the races into the stream, and prints the rest of a report
// as text to w.
func (s *stream) handler(w io.Writer) report.Handler {
	return report.Tee(s.Handler(), raceless{report.NewText(w, textOptions(w))})
}

// raceless is a Handler without races.
type raceless struct{ report.Handler }

// Race does nothing.
func (raceless) Race(*report.Race) error { return nil }

// remarks makes each line a comment, as the go command does with "# package". Readers of the stream
// take other lines of standard error for errors of builds, but for warnings. Empty lines are left
// out.
type remarks struct {
	w    io.Writer
	line []byte // that has not ended
}

// Write implements io.Writer.
func (r *remarks) Write(p []byte) (int, error) {
	r.line = append(r.line, p...)
	for {
		line, rest, ended := bytes.Cut(r.line, []byte("\n"))
		if !ended {
			return len(p), nil
		}
		if text := string(line); text != "" {
			if !strings.HasPrefix(text, "warning:") {
				text = "# " + text
			}
			if _, err := io.WriteString(r.w, text+"\n"); err != nil {
				return 0, err
			}
		}
		r.line = append(r.line[:0], rest...)
	}
}
