// Package suites has the test suites of real modules that measurements share.
package suites

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/presage-race/presage/bench/internal/session"
)

//go:embed suites.txt
var text string

// A Suite is an entry of suites.txt.
type Suite struct {
	Name, Path, Version string
	Args                []string // of go test: flags, then packages
	edits               []edit
}

// edit is a change of a file of the module's copy.
type edit struct{ file, old, new string }

var defaultArgs = []string{"-short", "./..."}

// All returns the suites.
func All() ([]*Suite, error) { return parse(text) }

// parse reads suites.txt.
func parse(text string) ([]*Suite, error) {
	var all []*Suite
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case line[0] != '\t' && len(f) == 3:
			all = append(all, &Suite{Name: f[0], Path: f[1], Version: f[2], Args: defaultArgs})
		case line[0] == '\t' && len(all) > 0 && len(f) > 1 && f[0] == "suite":
			all[len(all)-1].Args = f[1:]
		case line[0] == '\t' && len(all) > 0 && len(f) > 3 && f[0] == "edit":
			e, err := parseEdit(line)
			if err != nil {
				return nil, fmt.Errorf("suites.txt: %q: %w", line, err)
			}
			u := all[len(all)-1]
			u.edits = append(u.edits, e)
		default:
			return nil, fmt.Errorf("suites.txt: %q", line)
		}
	}
	return all, nil
}

// parseEdit reads a line: the word edit, a file, and two strings.
func parseEdit(line string) (edit, error) {
	rest := strings.TrimPrefix(strings.TrimSpace(line), "edit")
	file, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	e := edit{file: file}
	for _, to := range []*string{&e.old, &e.new} {
		rest = strings.TrimSpace(rest)
		q, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return e, err
		}
		if *to, err = strconv.Unquote(q); err != nil {
			return e, err
		}
		rest = rest[len(q):]
	}
	if strings.TrimSpace(rest) != "" || e.old == "" {
		return e, strconv.ErrSyntax
	}
	return e, nil
}

// Source returns the directory of the suite's module, edited. An edited module has a copy of its
// own, which is made anew.
func (u *Suite) Source(ctx context.Context, s *session.Session) (string, error) {
	if len(u.edits) == 0 {
		return s.Module(ctx, u.Path, u.Version)
	}
	own := &session.Session{Presage: s.Presage, Dir: filepath.Join(s.Dir, "edited")}
	if err := os.RemoveAll(own.Dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(own.Dir, 0o777); err != nil {
		return "", err
	}
	dir, err := own.Module(ctx, u.Path, u.Version)
	if err != nil {
		return "", err
	}
	for _, e := range u.edits {
		if err := e.apply(dir); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// apply edits a file. That the text is not there is an error.
func (e edit) apply(dir string) error {
	name := filepath.Join(dir, filepath.FromSlash(e.file))
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	edited := bytes.ReplaceAll(text, []byte(e.old), []byte(e.new))
	if bytes.Equal(edited, text) {
		return fmt.Errorf("%s has no %q", e.file, e.old)
	}
	return os.WriteFile(name, edited, 0o666)
}

// Arguments returns those of go test, with more flags.
func (u *Suite) Arguments(more ...string) []string {
	n := slices.IndexFunc(u.Args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if n < 0 {
		n = len(u.Args)
	}
	return slices.Concat(u.Args[:n], more, u.Args[n:])
}
