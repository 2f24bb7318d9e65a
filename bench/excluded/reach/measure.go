package reach

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/presage-race/presage/internal/record/recorder"
)

// measure runs the tests and returns what they took.
func (x *built) measure(ctx context.Context, scratch string) (c cost, err error) {
	cmd, clean, err := x.command(ctx, scratch)
	if err != nil {
		return c, err
	}
	defer clean()
	c.instructions, err = counted(func() error {
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
		}
		return nil
	})
	if err == nil {
		c.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	return c, err
}

// command returns what runs the tests, and what removes what they have recorded.
func (x *built) command(ctx context.Context, scratch string, args ...string) (*exec.Cmd, func(), error) {
	raw := filepath.Join(scratch, "raw")
	if err := os.MkdirAll(raw, 0o777); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, x.Binary, append(slices.Clone(x.Args), args...)...)
	cmd.Dir = x.Dir
	cmd.Env = append(slices.Clone(x.Env), recorder.EnvDir+"="+raw)
	return cmd, func() { os.RemoveAll(raw) }, nil
}

// hooks matches the functions of the recorder that are there for BarrierPairs alone, and are called
// by emitted code or the recorder's other hooks.
const hooks = `runtime\.\(\*PresageG\)\.(MethodBegin|Reach|MethodBegun|MethodEnd|MethodDeferred|MethodGo|MethodGoes|Leaves|goes|Known|gets|again|lookAgain|calledBack|goesBack|unwound|finalized)$` +
	`|runtime\.presage(Received|Finalizes)$|presagert\.(Reach|Known|KnownAtEnd|Deferred)\b`

var (
	shown = regexp.MustCompile(`Showing nodes accounting for .*, ([0-9.]+)% of `)
	total = regexp.MustCompile(`Total samples = ([0-9.]+[a-z]+)`)
)

// profiled runs a set, with D kept, under the profiler, so many times, and returns the share of the
// samples under the hooks.
func (b *bench) profiled(ctx context.Context, r *row, runs int) (string, error) {
	x := r.built[2]
	args := []string{"tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", "-focus=" + hooks, x.Binary}
	for i := range runs {
		profile := filepath.Join(b.Dir, fmt.Sprintf("cpu-%d.prof", i))
		cmd, clean, err := x.command(ctx, b.Dir, "-test.cpuprofile="+profile)
		if err != nil {
			return "", err
		}
		out, err := cmd.CombinedOutput()
		clean()
		if err != nil {
			return "", fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
		}
		args = append(args, profile)
	}
	if runs == 0 {
		return "none", nil
	}
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go %v: %w\n%s", args, err, out)
	}
	of, all := shown.FindSubmatch(out), total.FindSubmatch(out)
	if of == nil || all == nil {
		return "", fmt.Errorf("go %v: no total in\n%s", args, out)
	}
	var share float64
	if _, err := fmt.Sscan(string(of[1]), &share); err != nil {
		return "", err
	}
	return fmt.Sprintf("hooks %s of all else, %s of samples", percent(1+share/(100-share)), all[1]), nil
}
