package disk

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
)

// GoFailed returns a FullError if the go command has failed for want of room (D2), (D3); said is
// what it printed. A package that could not be written is not one that does not compile.
func GoFailed(ctx context.Context, said string) error {
	dirs := goDirs(ctx)
	return cmp.Or(Said(said, dirs...), short(said, dirs))
}

// GoSaid is GoFailed where what else fails is none of the go command's: it also runs tests (D2).
func GoSaid(ctx context.Context, said string) error {
	if Said(said) == nil {
		return nil
	}
	return Said(said, goDirs(ctx)...)
}

// goDirs are the directories that the go command writes to: its build cache, and one for what it
// builds.
func goDirs(ctx context.Context) []string {
	var env struct{ GOCACHE, GOTMPDIR string }
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOCACHE", "GOTMPDIR").Output()
	if err != nil || json.Unmarshal(out, &env) != nil {
		return []string{os.TempDir()}
	}
	return []string{env.GOCACHE, cmp.Or(env.GOTMPDIR, os.TempDir())}
}
