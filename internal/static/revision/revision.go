// Package revision gets the files of a revision of a git repository, in a directory of its own, or
// the lines that have changed since.
//
// The files are a worktree that git adds in a temporary directory, without a branch. The user's own
// tree, index and branches are not touched. The entry that git makes for the worktree in the
// repository is removed with it.
//
// git runs without the variables that bind it to another repository or index (a hook has them set:
// GIT_INDEX_FILE would be the user's own index), and without hooks: post-checkout is not for this.
package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is the files of a revision.
type Tree struct {
	Commit string // the revision's full name
	Dir    string // what the directory that was asked for is in the tree; it need not exist there

	top, root, temp string
}

// Checkout gets the revision rev of the repository in which dir lies. The tree must be removed.
func Checkout(ctx context.Context, dir, rev string) (*Tree, error) {
	top, prefix, commit, err := locate(ctx, dir, rev)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "presage-revision-")
	if err != nil {
		return nil, err
	}
	t := &Tree{Commit: commit, top: filepath.FromSlash(top), temp: temp, root: filepath.Join(temp, filepath.Base(top))}
	t.Dir = filepath.Join(t.root, filepath.FromSlash(prefix))
	if _, err := git(ctx, t.top, "-c", "core.hooksPath="+os.DevNull, "worktree", "add", "--quiet", "--detach", t.root, commit); err != nil {
		return nil, errors.Join(err, t.Remove())
	}
	return t, nil
}

// Inside is a pattern of the user's tree as it is in this one: an absolute path below the user's
// tree moves with it.
func (t *Tree) Inside(pattern string) string {
	if !filepath.IsAbs(pattern) {
		return pattern
	}
	if rel, err := filepath.Rel(t.top, pattern); err == nil && filepath.IsLocal(rel) {
		return filepath.Join(t.root, rel)
	}
	return pattern
}

// Remove takes the tree away, and what git knows of it. It works when the context of Checkout has
// ended.
func (t *Tree) Remove() error {
	ctx := context.Background()
	_, gitErr := git(ctx, t.top, "worktree", "remove", "--force", t.root)
	err := os.RemoveAll(t.temp)
	if gitErr != nil { // it was not added whole
		_, pruned := git(ctx, t.top, "worktree", "prune")
		err = errors.Join(err, pruned)
	}
	return err
}

// git runs git in dir and returns what it prints, without the end of the line. A monitor of files,
// which is a program, is not asked.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(local, name)
	})
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimRight(stdout.String(), "\r\n"), nil
}

// local are the variables of git rev-parse --local-env-vars, but for those that only configure
// .
var local = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
	"GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR",
	"GIT_INTERNAL_SUPER_PREFIX",
}
