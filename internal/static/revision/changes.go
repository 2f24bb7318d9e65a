package revision

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Changes are the lines of Go files in the user's tree that differ from a revision.
type Changes struct {
	ctx   context.Context
	top   string
	files map[string][]Span // changed ones, by name below top, with slashes
	known map[string]bool   // whether git has a file
}

// Span is a range of lines, Last included. A span of deleted lines has the line before them as
// First, and the line behind them as Last.
type Span struct{ First, Last int }

// ChangesSince compares the files of the repository in which dir lies with the revision rev. The
// revision may come from anybody: git gets the full name of a commit. No program that the
// repository configures for differences is run.
func ChangesSince(ctx context.Context, dir, rev string) (*Changes, error) {
	top, _, commit, err := locate(ctx, dir, rev)
	if err != nil {
		return nil, err
	}
	c := &Changes{ctx: ctx, top: filepath.FromSlash(top), files: map[string][]Span{}, known: map[string]bool{}}
	text, err := git(ctx, c.top, "-c", "core.quotePath=false", "diff", "--no-ext-diff", "--no-textconv", "--no-color",
		"--unified=0", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", commit, "--", "*.go")
	if err != nil {
		return nil, err
	}
	return c, c.read(text)
}

// read reads what git diff prints.
func (c *Changes) read(text string) error {
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, len(text)+1)
	name, left := "", 0
	for sc.Scan() {
		line := sc.Text()
		switch {
		case left > 0: // within a hunk, where a line may look like anything
			if !strings.HasPrefix(line, "\\") {
				left--
			}
		case strings.HasPrefix(line, "+++ "):
			name = strings.TrimPrefix(line, "+++ ")
			if unquoted, err := strconv.Unquote(name); err == nil {
				name = unquoted
			}
			name = strings.TrimPrefix(strings.TrimSuffix(name, "\t"), "b/")
		case strings.HasPrefix(line, "@@ "):
			gone, now, err := hunk(line)
			if err != nil {
				return err
			}
			left = gone.n + now.n
			s := Span{now.at, now.at + now.n - 1}
			if now.n == 0 {
				s = Span{now.at, now.at + 1}
			}
			c.files[name] = append(c.files[name], s)
		}
	}
	return sc.Err()
}

// part is one side of the header of a hunk.
type part struct{ at, n int }

// hunk reads a header as @@ -1,2 +3 @@.
func hunk(line string) (gone, now part, err error) {
	f := strings.Fields(line)
	if len(f) < 4 || f[1][0] != '-' || f[2][0] != '+' {
		return gone, now, fmt.Errorf("git diff: %q is no hunk", line)
	}
	for i, p := range []*part{&gone, &now} {
		at, n, several := strings.Cut(f[1+i][1:], ",")
		if p.n = 1; several {
			if p.n, err = strconv.Atoi(n); err != nil {
				return gone, now, fmt.Errorf("git diff: %q is no hunk", line)
			}
		}
		if p.at, err = strconv.Atoi(at); err != nil {
			return gone, now, fmt.Errorf("git diff: %q is no hunk", line)
		}
	}
	return gone, now, nil
}

// In reports whether a line of a file from first to last has changed, or lines between them are
// gone. All of a file has changed that git does not have.
func (c *Changes) In(file string, first, last int) bool {
	name, ok := c.name(file)
	if !ok {
		return true
	}
	spans, changed := c.files[name]
	if !changed {
		return !c.tracked(name)
	}
	return slices.ContainsFunc(spans, func(s Span) bool { return s.First <= last && first <= s.Last })
}

// name is the name of a file below the top of the repository.
func (c *Changes) name(file string) (string, bool) {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	top := c.top
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	rel, err := filepath.Rel(top, file)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// tracked reports whether git has a file.
func (c *Changes) tracked(name string) bool {
	known, asked := c.known[name]
	if !asked {
		_, err := git(c.ctx, c.top, "--literal-pathspecs", "ls-files", "--error-unmatch", "--", name)
		known = err == nil
		c.known[name] = known
	}
	return known
}

// locate finds the repository in which dir lies, where dir is in it, and the full name of a
// revision.
func locate(ctx context.Context, dir, rev string) (top, prefix, commit string, err error) {
	if _, err := exec.LookPath("git"); err != nil {
		return "", "", "", fmt.Errorf("a revision needs git: %w", err)
	}
	if top, err = git(ctx, dir, "rev-parse", "--show-toplevel"); err != nil {
		return "", "", "", err
	}
	if prefix, err = git(ctx, dir, "rev-parse", "--show-prefix"); err != nil {
		return "", "", "", err
	}
	commit, err = git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil || strings.Trim(commit, "0123456789abcdef") != "" {
		return "", "", "", fmt.Errorf("%s is no revision of the repository %s", rev, top)
	}
	return top, prefix, commit, nil
}
