package disk

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
)

// GoFailed returns a FullError if the go command has failed for lack of space. said is what it
// printed. Without this test, a package that could not be written looks like one that does not
// compile.
func GoFailed(ctx context.Context, said string) error {
	dirs := goDirs(ctx)
	return cmp.Or(Said(said, dirs...), short(said, dirs))
}

// GoSaid is GoFailed for a go command that also runs tests. Another failure may be that of a test,
// so only the text of a full disk counts.
func GoSaid(ctx context.Context, said string) error {
	if Said(said) == nil {
		return nil
	}
	return Said(said, goDirs(ctx)...)
}

// goDirs are the directories that the go command writes to: its build cache and its directory for
// temporary files.
func goDirs(ctx context.Context) []string {
	var env struct{ GOCACHE, GOTMPDIR string }
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOCACHE", "GOTMPDIR").Output()
	if err != nil || json.Unmarshal(out, &env) != nil {
		return []string{os.TempDir()}
	}
	return []string{env.GOCACHE, cmp.Or(env.GOTMPDIR, os.TempDir())}
}
