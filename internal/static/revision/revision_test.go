package revision

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckout gets an older revision of a repository whose tree, index and hooks must stay as they
// are, as a hook would run it.
func TestCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("1 test skipped: git is not installed")
	}
	ctx, dir := context.Background(), t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, err := git(ctx, dir, append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "--quiet")
	write("sub/a.txt", "old", 0o666)
	run("add", ".")
	run("commit", "--quiet", "-m", "old")
	write("sub/a.txt", "staged", 0o666)
	run("add", ".")
	write("sub/a.txt", "edited", 0o666)
	write(".git/hooks/post-checkout", "#!/bin/sh\ntouch '"+filepath.Join(dir, ".git", "hooked")+"'\n", 0o777)
	before := run("status", "--porcelain=v2", "--branch") + run("branch", "--all")
	t.Setenv("GIT_INDEX_FILE", filepath.Join(dir, ".git", "index"))

	tree, err := Checkout(ctx, filepath.Join(dir, "sub"), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(tree.Dir, "a.txt"))
	if err != nil || string(got) != "old" {
		t.Errorf("a.txt at the revision is %q (%v)", got, err)
	}
	if in := tree.Inside(filepath.Join(tree.top, "sub", "x")); in != filepath.Join(tree.Dir, "x") {
		t.Errorf("an absolute pattern is %s in the tree %s", in, tree.Dir)
	}
	if in := tree.Inside("./..."); in != "./..." {
		t.Errorf("a relative pattern is %s in the tree", in)
	}
	if err := tree.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(tree.temp); !os.IsNotExist(err) {
		t.Errorf("the tree is still there (%v)", err)
	}
	if list := run("worktree", "list"); strings.Contains(list, "\n") {
		t.Errorf("git still knows\n%s", list)
	}
	if after := run("status", "--porcelain=v2", "--branch") + run("branch", "--all"); after != before {
		t.Errorf("the repository was\n%s\nand is\n%s", before, after)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "sub", "a.txt")); string(got) != "edited" {
		t.Errorf("the user's file is %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "hooked")); err == nil {
		t.Error("a hook has run")
	}
}

func TestNoRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("1 test skipped: git is not installed")
	}
	ctx, dir := context.Background(), t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	if _, err := Checkout(ctx, dir, "HEAD"); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("outside of a repository: %v", err)
	}
	if _, err := git(ctx, dir, "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	for _, rev := range []string{"HEAD", "nothing", "--all"} {
		if _, err := Checkout(ctx, dir, rev); err == nil || !strings.Contains(err.Error(), "is no revision") {
			t.Errorf("revision %s: %v", rev, err)
		}
	}
}
