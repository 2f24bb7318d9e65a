package replay

import (
	"encoding/json"
	"errors"
	"fmt"
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

// Write writes the files of a reproduction into a directory, which it empties before. It returns
// the go command that runs the program with them, and the directory for that. The files are for the
// sources, the Go and the directories of this machine as they are.
func (r *Reproduction) Write(dir string) (command []string, in string, err error) {
	p := r.program
	switch _, err := os.Stat(filepath.Join(p.dir, toolexecFile)); {
	case err == nil:
		return nil, "", fmt.Errorf("the program embeds its own sources: without presage they would be the gated ones")
	case !p.race:
		return nil, "", fmt.Errorf("there is no C compiler, and so no race detector")
	case p.std.Go != "go":
		return nil, "", fmt.Errorf("the go command takes no overlay of a toolchain in the module cache, as %s is: install it elsewhere", p.std.GoVersion)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, "", err
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return nil, "", err
	}
	overlay, err := p.readOverlay()
	if err != nil {
		return nil, "", err
	}
	for of, file := range overlay {
		if overlay[of], err = p.copyInto(dir, file); err != nil {
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

// copyInto copies a file of the program's directory, and returns its new name. The go command does
// not look at it as a package: it has another ending.
func (p *Program) copyInto(dir, file string) (string, error) {
	rel, err := filepath.Rel(p.dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is not in the directory of the replay", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, strings.ReplaceAll(rel, string(filepath.Separator), "-")+".txt")
	return to, os.WriteFile(to, data, 0o600)
}

// command is the go command with an overlay.
func (r *Reproduction) command(overlay string) []string {
	p := r.program
	user := p.cfg.Meta.BuildFlags
	n := slices.IndexFunc(user, func(f string) bool { return !strings.HasPrefix(strings.TrimLeft(f, "-"), "C=") })
	if n < 0 {
		n = len(user)
	}
	if !p.cfg.Test {
		return slices.Concat([]string{"go", "run"}, user[:n], []string{"-race", "-overlay=" + overlay}, user[n:], p.cfg.Packages, p.cfg.Args)
	}
	// vet does not find the files of a package that the overlay adds. As many tests run side by
	// side as there are: those that wait do so where no gate is.
	own := []string{"-race", "-vet=off", "-overlay=" + overlay, "-count=1", "-parallel=10000"}
	tests := slices.DeleteFunc(TestFlags(p.cfg.Flags), func(f string) bool {
		f = strings.TrimPrefix(strings.TrimLeft(f, "-"), "test.")
		return strings.HasPrefix(f, "parallel=") || strings.HasPrefix(f, "count=")
	})
	return slices.Concat([]string{"go", "test"}, user[:n], own, user[n:], tests, []string{r.pkg}, p.cfg.Args)
}
