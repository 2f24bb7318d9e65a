package revision

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestChanges compares a tree with a revision: added, changed and deleted lines, a file that has
// moved, one that git does not have, and names that git quotes.
func TestChanges(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("1 test skipped: git is not installed")
	}
	ctx, dir := context.Background(), t.TempDir()
	run := func(args ...string) {
		t.Helper()
		if _, err := git(ctx, dir, append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split("1 2 3 4 5 6 7 8 9", " ")
	text := strings.Join(lines, "\n") + "\n"
	run("init", "--quiet")
	for _, name := range []string{"a.go", "sub/same.go", "old.go", "\"q\té.go"} {
		write(name, text)
	}
	run("add", ".")
	run("commit", "--quiet", "-m", "one")
	// line 2 is changed, 5 is gone, and two lines are added at the end; one of them looks like a
	// file
	write("a.go", "1\ntwo\n3\n4\n6\n7\n8\n9\n++ b/old.go\n11\n")
	write("\"q\té.go", "0\n"+text)
	run("mv", "old.go", "sub/new.go")
	// a program of the user's configuration must not run
	ran := filepath.Join(t.TempDir(), "ran")
	run("config", "diff.external", "touch "+ran)
	run("config", "core.fsmonitor", "touch "+ran)
	write("sub/new.go", strings.Replace(text, "3", "three", 1))
	write("untracked.go", text)

	c, err := ChangesSince(ctx, filepath.Join(dir, "sub"), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		file        string
		first, last int
		want        bool
	}{
		{"a.go", 1, 1, false}, {"a.go", 2, 2, true}, {"a.go", 3, 3, false}, {"a.go", 1, 9, true},
		{"a.go", 4, 4, true}, {"a.go", 5, 5, true}, {"a.go", 6, 8, false}, {"a.go", 9, 9, true}, {"a.go", 10, 10, true},
		{"sub/same.go", 1, 9, false}, {"sub/new.go", 1, 2, false}, {"sub/new.go", 3, 3, true}, {"untracked.go", 1, 1, true},
		{"\"q\té.go", 1, 1, true}, {"\"q\té.go", 2, 9, false}, {"../outside.go", 1, 1, true},
	} {
		if got := c.In(filepath.Join(dir, x.file), x.first, x.last); got != x.want {
			t.Errorf("%s lines %d to %d: %v", x.file, x.first, x.last, got)
		}
	}
	for _, rev := range []string{"--output=" + ran, "-h", "nothing", "HEAD:a.go", "HEAD..HEAD", ""} {
		if _, err := ChangesSince(ctx, dir, rev); err == nil || !strings.Contains(err.Error(), "is no revision") {
			t.Errorf("revision %q: %v", rev, err)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the configuration was run")
	}
}
