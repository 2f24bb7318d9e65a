package replay

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/record/recorder"
)

// A Reproduction is a race that has been confirmed, as a build of the go command that shows it
// without presage: gated files in an overlay, and a schedule.
type Reproduction struct {
	program  *Program
	pkg      string
	schedule []byte
}

// Reproduction is how the race was confirmed; nil: it was not.
func (o *Outcome) Reproduction() *Reproduction { return o.found }

// names of what a reproduction has in its directory
const (
	overlayName  = "overlay.json"
	scheduleName = "schedule"
	runtimeName  = "reproduction.go.txt"
)

// Write writes the files of a reproduction into a directory. It replaces those of an earlier one
// there, and nothing else. It returns the go command that runs the program with them, with the
// environment in front, and the directory for that. The files are for the sources, the Go and the
// directories of this machine as they are.
func (r *Reproduction) Write(dir string) (command []string, in string, err error) {
	p := r.program
	switch _, err := os.Stat(filepath.Join(p.dir, toolexecFile)); {
	case err == nil:
		return nil, "", fmt.Errorf("the program embeds its own sources: without presage they would be the gated ones")
	case binary.LittleEndian.Uint64(r.schedule[8*hdrArgs:]) != 0:
		return nil, "", fmt.Errorf("the race is in a child process of the test")
	case !p.race:
		return nil, "", fmt.Errorf("there is no C compiler, and so no race detector")
	case p.std.Go != "go":
		return nil, "", fmt.Errorf("the go command takes no overlay of a toolchain in the module cache, as %s is: install it elsewhere", p.std.GoVersion)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, "", err
	}
	if err := empty(dir); err != nil {
		return nil, "", err
	}
	overlay, err := p.readOverlay()
	if err != nil {
		return nil, "", err
	}
	for n, of := range slices.Sorted(maps.Keys(overlay)) {
		if overlay[of], err = copyInto(dir, n, overlay[of]); err != nil {
			return nil, "", err
		}
	}
	schedule, in := filepath.Join(dir, scheduleName), p.cfg.Meta.Dir
	overlay[filepath.Join(p.std.GoRoot, recorder.ReproductionFile)] = filepath.Join(dir, runtimeName)
	data, err := json.MarshalIndent(map[string]any{"Replace": overlay}, "", "\t")
	if err != nil {
		return nil, "", err
	}
	return r.command(filepath.Join(dir, overlayName)), in, errors.Join(
		os.WriteFile(filepath.Join(dir, overlayName), append(data, '\n'), 0o600),
		os.WriteFile(schedule, r.schedule, 0o600),
		os.WriteFile(filepath.Join(dir, runtimeName), fmt.Appendf(nil, "package runtime\n\nconst presageReproduction = %q\n", schedule), 0o600))
}

// readOverlay reads the overlay of the program with gates.
func (p *Program) readOverlay() (map[string]string, error) {
	data, err := os.ReadFile(p.overlay)
	if err != nil {
		return nil, err
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &overlay); err != nil {
		return nil, fmt.Errorf("%s: %w", p.overlay, err)
	}
	return overlay.Replace, nil
}

// empty makes a directory for a reproduction. What is there has to be an earlier one.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(entries) > 0 && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == runtimeName }):
		return fmt.Errorf("%s has other files: remove it, or give the schedule another name", dir)
	}
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700))
}

// copyInto copies the nth file of an overlay, and returns its new name. The go command does not
// look at it as a package: it has another ending.
func copyInto(dir string, n int, file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, fmt.Sprintf("%d-%s.txt", n, filepath.Base(file)))
	return to, os.WriteFile(to, data, 0o600)
}

// command is the go command with an overlay: the build of the replay.
func (r *Reproduction) command(overlay string) []string {
	p := r.program
	var env []string
	if len(p.cfg.Meta.BuildEnv) > 0 {
		env = append([]string{"env"}, p.cfg.Meta.BuildEnv...)
	}
	build := append(slices.Clone(p.flags()), "-overlay="+overlay)
	if !p.cfg.Test {
		return slices.Concat(env, []string{"go", "run"}, build, p.cfg.Packages, p.cfg.Args)
	}
	// vet does not find the files of a package that the overlay adds. As many tests run side by
	// side as there are: those that wait do so where no gate is.
	own := []string{"-vet=off", "-count=1", "-parallel=10000"}
	tests := slices.DeleteFunc(TestFlags(p.cfg.Flags), func(f string) bool {
		f = strings.TrimPrefix(strings.TrimLeft(f, "-"), "test.")
		return strings.HasPrefix(f, "parallel=") || strings.HasPrefix(f, "count=")
	})
	return slices.Concat(env, []string{"go", "test"}, build, own, tests, []string{r.pkg}, p.cfg.Args)
}
