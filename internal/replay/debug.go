package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/internal/record/recorder"
)

// Debugger says how delve is started.
type Debugger struct {
	Path           string // of dlv; "": the one in PATH
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// ErrNoDelve says that delve is not installed.
var ErrNoDelve = errors.New("delve is not installed (dlv is not in PATH): go install github.com/go-delve/delve/cmd/dlv@latest")

// Debug runs the program under delve and the schedule of a race, up to where both goroutines are
// before their accesses. The race is replayed first: with the schedule that confirmed it, the
// program is run again.
func (p *Program) Debug(ctx context.Context, r Race, d Debugger) (*Outcome, error) {
	if d.Path == "" {
		path, err := exec.LookPath("dlv")
		if err != nil {
			return nil, ErrNoDelve
		}
		d.Path = path
	}
	s, pkg, bin, err := p.scheduled(ctx, r)
	if err != nil {
		return nil, err
	}
	if s.isOutside() {
		return nil, errors.New("an access of the race is made by outside code, where delve has no gate to stop at: replay it without -dlv")
	}
	out, err := p.Replay(ctx, r)
	if err != nil {
		return out, err
	}
	last := out.Tries[len(out.Tries)-1]
	if !last.Met {
		return out, fmt.Errorf("the goroutines did not come to both accesses, so there is nowhere to stop them: %s", last.Why)
	}
	dir, err := os.MkdirTemp(p.dir, "dlv-")
	if err != nil {
		return out, fmt.Errorf("making a directory for delve: %w", err)
	}
	defer os.RemoveAll(dir)
	v := variant{swap: last.Swap, level: max(last.Level, uint64(len(last.Loosened))), hold: true}
	if s.apart {
		// the accesses need not be next to each other: at this level they are
		v.level = max(v.level, strict)
	}
	data, _ := s.encode(v)
	files := map[string][]byte{"schedule": data, "meet.star": []byte(meeting), "init": fmt.Appendf(nil, delveInit, filepath.Join(dir, "meet.star"))}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return out, fmt.Errorf("writing for delve: %w", err)
		}
	}
	args := append([]string{"exec", "--allow-non-terminal-interactive=true", "--check-go-version=false", "--init", filepath.Join(dir, "init"), "--wd", p.directory(pkg), bin, "--"}, p.arguments()...)
	cmd := exec.CommandContext(ctx, d.Path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = d.Stdin, d.Stdout, d.Stderr
	cmd.Env = append(os.Environ(), recorder.EnvGates+"="+filepath.Join(dir, "schedule"), "GORACE=atexit_sleep_ms=0")
	if err := cmd.Run(); err != nil && !strings.HasPrefix(err.Error(), "exit status") {
		return out, fmt.Errorf("running delve: %w", err)
	}
	return out, nil
}

// delveInit is what delve does at the start: runtime.PresageMeet is called by a goroutine right
// before its access, when the other one waits before its own.
const delveInit = `break presage runtime.PresageMeet
continue
source %s
`

// meeting shows where the two goroutines are.
const meeting = `
def frame_of(id):
    frames = stacktrace(id, 50, False).Locations
    for i in range(len(frames)):
        f = frames[i].Location.Function
        if f != None:
            name = f.Name_
            if not (name.startswith("runtime.") or name.startswith("presagert.")):
                return i
    return 0

def main():
    for i in range(2):
        id = eval(None, "runtime.presagePair[%d]" % i).Variable.Value
        if id == 0:
            continue
        k = frame_of(id)
        print("\npresage: goroutine %d is before its access:" % id)
        dlv_command("goroutine %d frame %d list" % (id, k))
    print("\npresage: 'continue' makes the first access and stops before the second; 'goroutine N' and 'frame K' look around")
`
