package thinned

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/record/merge"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

//go:embed testdata/program.txtar
var archive []byte

// A program is the interpreter of random programs, built with the recorder.
type program struct {
	dir, bin string
	plan     *plan.Plan
	runs     int
}

// build builds it in dir. If faults is set, the recorder has the seeded faults in it, and does as
// it should until one is asked for.
func build(ctx context.Context, dir string, faults bool) (*program, error) {
	for _, f := range txtar.Parse(archive).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return nil, err
		}
	}
	app, out := filepath.Join(dir, "app"), filepath.Join(dir, "emitted")
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	overlay, err := recorder.New(ctx, recorder.Config{Dir: app, OutDir: filepath.Join(dir, "rt")})
	if err != nil {
		return nil, err
	}
	if faults {
		if err := seedFaults(overlay); err != nil {
			return nil, err
		}
	}
	res, err := instrument.Instrument(ctx, instrument.Config{Config: plan.Config{Dir: app}, OutDir: out})
	if err != nil {
		return nil, err
	}
	js, err := overlay.JSON(res.Overlay)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, js, 0o666); err != nil {
		return nil, err
	}
	p := &program{dir: dir, bin: filepath.Join(dir, "program"), plan: res.Plan}
	cmd := exec.CommandContext(ctx, overlay.Go, "build", "-overlay", file, "-o", p.bin)
	cmd.Dir, cmd.Env = app, append(os.Environ(), overlay.Env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	return p, nil
}

// run runs the program with these arguments, and returns the directory of its raw records.
func (p *program) run(ctx context.Context, args []string, env ...string) (string, error) {
	p.runs++
	raw := filepath.Join(p.dir, fmt.Sprint("raw", p.runs))
	if err := os.MkdirAll(raw, 0o777); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, p.bin, args...)
	cmd.Env = append(os.Environ(), append(env, recorder.EnvDir+"="+raw, recorder.EnvOutside+"=full", "GOGC=25", "GOMAXPROCS=4")...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		text := errs.String()
		return "", fmt.Errorf("the program with %v: %w\n%s", args, err, text[:min(len(text), 3000)])
	}
	list, err := os.ReadDir(raw)
	if err != nil || len(list) != 1 {
		return "", fmt.Errorf("%d recorded processes, %w", len(list), err)
	}
	return filepath.Join(raw, list[0].Name()), nil
}

// traceOf merges raw records: all accesses of outside code, or those that remain.
func (p *program) traceOf(raw string, full bool) (*trace.Reader, error) {
	meta := &trace.Meta{Source: "presage", Files: p.plan.Files, Funcs: p.plan.Funcs, Sites: p.plan.Sites}
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, meta)
	if err != nil {
		return nil, err
	}
	stats, err := merge.Merge(raw, meta, w, merge.Options{Full: full})
	if err == nil && (stats.Dropped > 0 || len(stats.Damage) > 0) {
		err = fmt.Errorf("merge: %d records dropped, damage: %s", stats.Dropped, strings.Join(stats.Damage, "; "))
	}
	if err != nil {
		return nil, err
	}
	if err := w.Close(meta); err != nil {
		return nil, err
	}
	return trace.NewReader(&b)
}
