// Package inside builds programs with the detector of presage -online in them, and measures runs
// of them.
package inside

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/online"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/recorder"
)

// A Builder builds with the detector. Its overlay is made once.
type Builder struct {
	Dir     string // scratch
	std     recorder.Overlay
	overlay string
	flags   []string // for the compiler of package compiler
	peak    string   // command peak
}

// New makes the overlay below a scratch directory; empty means a fresh one.
func New(ctx context.Context, dir string) (*Builder, error) {
	dir, err := session.Scratch(dir)
	if err != nil {
		return nil, err
	}
	std, err := recorder.New(ctx, recorder.Config{OutDir: filepath.Join(dir, "overlay"), Online: true})
	if err != nil {
		return nil, err
	}
	b := &Builder{Dir: dir, std: std, overlay: filepath.Join(dir, "overlay.json")}
	cache, err := record.CacheDir()
	if err != nil {
		return nil, err
	}
	flags, plain, err := record.CompilerFlags(ctx, cache, std, func(string) {})
	if err == nil && plain != "" {
		err = fmt.Errorf("no compiler: %s", plain)
	}
	if err != nil {
		return nil, err
	}
	b.flags = flags
	data, err := std.JSON(nil)
	if err == nil {
		err = os.WriteFile(b.overlay, data, 0o666)
	}
	if err != nil {
		return nil, err
	}
	b.peak = filepath.Join(dir, "peak")
	return b, b.Build(Plain, ".", "github.com/presage-race/presage/bench/internal/inside/peak", b.peak, false)
}

// The modes of a build.
const (
	Plain  = "plain"
	Race   = "race"
	Online = "online"
	// OnlinePlain is Online with Go's own compiler.
	OnlinePlain = "online-plain"
)

// Build builds a package of the module in dir: its command, or, if test is set, its tests.
func (b *Builder) Build(mode, dir, pkg, out string, test bool, flags ...string) error {
	args := []string{"build"}
	if test {
		args = []string{"test", "-c", "-vet=off"}
	}
	switch mode {
	case Race:
		args = append(args, "-race")
	case Online:
		args = slices.Concat(args, []string{"-overlay=" + b.overlay}, b.std.BuildFlags, b.flags)
	case OnlinePlain:
		args = append(append(args, "-overlay="+b.overlay), b.std.BuildFlags...)
	}
	args = append(append(args, flags...), "-o", out, pkg)
	cmd := exec.Command(b.std.Go, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), b.std.Env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s %s: %w\n%s", pkg, mode, err, text)
	}
	return nil
}

// A Run is one run of a program.
type Run struct {
	CPU    float64 // seconds, of user and system
	Wall   float64
	MB     float64 // peak memory
	Exit   int
	Races  int
	Counts map[string]int64
}

// Same is the accesses that the rules of the same epoch, or context, dropped; Accesses is all.
func (r *Run) Same() int64 { return r.Counts["ReadSameEpoch"] + r.Counts["WriteSameEpoch"] }

// Accesses is the plain accesses that the detector was asked about.
func (r *Run) Accesses() int64 {
	n := int64(0)
	for name, k := range r.Counts {
		if strings.HasPrefix(name, "Read") && name != "ReadsForgotten" || strings.HasPrefix(name, "Write") {
			n += k
		}
	}
	return n
}

// Once runs a program in dir, with the filter in front of the detector or without.
func (b *Builder) Once(ctx context.Context, bin, dir string, tree bool, env []string, args ...string) (*Run, error) {
	reports, err := os.MkdirTemp(b.Dir, "reports")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(reports)
	peak, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer peak.Close()
	cmd := exec.CommandContext(ctx, b.peak, append([]string{bin}, args...)...)
	cmd.Dir, cmd.ExtraFiles = dir, []*os.File{to}
	cmd.Env = append(append(os.Environ(), env...), recorder.EnvDir+"="+reports)
	if !tree {
		cmd.Env = append(cmd.Env, recorder.EnvFilter+"=none")
	}
	begun := time.Now()
	text, err := cmd.CombinedOutput()
	to.Close()
	if cmd.ProcessState == nil {
		return nil, err
	}
	s := cmd.ProcessState
	kib, err := io.ReadAll(peak)
	if err != nil {
		return nil, err
	}
	mb, _ := strconv.ParseFloat(string(kib), 64) // none: the error follows
	r := &Run{CPU: (s.UserTime() + s.SystemTime()).Seconds(), Wall: time.Since(begun).Seconds(), MB: mb / 1024, Exit: s.ExitCode(), Counts: make(map[string]int64)}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	if r.Exit < 0 || r.Exit == 2 {
		return r, fmt.Errorf("%s: %v\n%s", bin, s, tail(text))
	}
	res, err := online.Read(reports)
	if err != nil {
		return r, err
	}
	r.Races = len(res.Found)
	for _, c := range res.Counts {
		r.Counts[c.Name] += c.N
	}
	return r, nil
}

func tail(b []byte) []byte { return b[max(0, len(b)-2000):] }

// Median returns the median of what f says of the runs.
func Median(runs []*Run, f func(*Run) float64) float64 {
	list := make([]float64, len(runs))
	for i, r := range runs {
		list[i] = f(r)
	}
	if slices.Sort(list); len(list) == 0 {
		return math.NaN()
	}
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
