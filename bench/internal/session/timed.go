package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/internal/record/recorder"
)

// Timed is command timed, which measures what the go command runs.
type Timed struct{ command, file string }

// Process is what command timed has measured of one process. Raw and Records are of raw records.
type Process struct {
	CPU, Wall    float64 // seconds
	Peak         float64 // memory, in MB
	Raw, Records int64
	Start        float64 // seconds since 1970
}

// Timed builds command timed.
func (s *Session) Timed(ctx context.Context) (*Timed, error) {
	t := &Timed{filepath.Join(s.Dir, "timed"), filepath.Join(s.Dir, "cost.txt")}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", t.command, "github.com/presage-race/presage/bench/internal/session/timed").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("building timed: %w\n%s", err, out)
	}
	return t, nil
}

// Exec returns the value of -exec for a run, and forgets the processes of earlier runs. Of raw
// records, keep counts them, size has their bytes alone, and drop removes them.
func (t *Timed) Exec(raws string) (string, error) {
	if err := os.Remove(t.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return strings.Join([]string{t.command, t.file, raws, recorder.EnvDir}, " "), nil
}

// Processes returns the processes since Exec.
func (t *Timed) Processes() ([]Process, error) {
	data, err := os.ReadFile(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseTimed(string(data))
}

// parseTimed reads what command timed has written: a line for each process.
func parseTimed(text string) (all []Process, err error) {
	for line := range strings.Lines(text) {
		var p Process
		if _, err := fmt.Sscan(line, &p.CPU, &p.Wall, &p.Peak, &p.Raw, &p.Records, &p.Start); err != nil {
			return nil, fmt.Errorf("what timed has written: %q: %w", line, err)
		}
		p.Peak /= 1024
		all = append(all, p)
	}
	return all, nil
}
