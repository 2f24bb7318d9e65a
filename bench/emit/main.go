// Command emit instruments packages with the hooks but a recorder that records nothing, and runs
// the go command on the result: go run ./bench/emit [flags] test|build|run [go flags] packages… It
// prints how many functions were emitted and why the others were not, as JSON with -stat FILE.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
)

func main() {
	dir := flag.String("C", ".", "directory of the module")
	stat := flag.String("stat", "", "write counts as JSON to this file")
	keep := flag.String("keep", "", "keep the emitted files in this directory")
	stub := flag.String("rt", "", "directory with a recorder's source; default: the real recorder, which records if PRESAGE_DIR is set")
	tags := flag.String("tags", "", "build tags")
	pattern := flag.String("pattern", "./...", "packages to instrument")
	flag.Parse()
	code, err := run(*dir, *stat, *keep, *stub, *tags, strings.Fields(*pattern), flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "emit:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// counts is what -stat writes.
type counts struct {
	Funcs, Emitted int
	Opaque         []instrument.OpaqueFunc
}

func run(dir, stat, keep, stub, tags string, patterns, args []string) (int, error) {
	if keep == "" {
		tmp, err := os.MkdirTemp("", "emit")
		if err != nil {
			return 1, err
		}
		defer os.RemoveAll(tmp)
		keep = tmp
	} else if err := os.MkdirAll(keep, 0o755); err != nil {
		return 1, err
	}
	cfg := instrument.Config{Config: plan.Config{Dir: dir, Patterns: patterns, Tests: len(args) > 0 && args[0] == "test"}, OutDir: keep}
	if tags != "" {
		cfg.BuildFlags = []string{"-tags=" + tags}
	}
	r, err := instrument.Instrument(context.Background(), cfg)
	if err != nil {
		return 1, err
	}
	for {
		env, err := overlay(r, dir, keep, stub)
		if err != nil {
			return 1, err
		}
		code, output, err := goCommand(dir, keep, env, args)
		if err != nil {
			return 1, err
		}
		if code != 0 && !strings.Contains(output, "--- FAIL") {
			n, err := r.MarkOpaque(output)
			if err != nil {
				return 1, err
			}
			if n > 0 {
				fmt.Fprintf(os.Stderr, "emit: %d functions do not compile\n%s", n, output)
				continue
			}
		}
		if err := report(r, stat); err != nil {
			return 1, err
		}
		return code, nil
	}
}

// overlay writes the -overlay file: emitted files, and the recorder as a package of std. It returns
// what the environment of the go command needs.
func overlay(r *instrument.Result, dir, keep, stub string) ([]string, error) {
	o := recorder.Overlay{Replace: map[string]string{}}
	if stub == "" {
		std := filepath.Join(keep, "std")
		if err := os.MkdirAll(std, 0o755); err != nil {
			return nil, err
		}
		var err error
		if o, err = recorder.New(context.Background(), recorder.Config{Dir: dir, OutDir: std, Test: true}); err != nil {
			return nil, err
		}
	} else {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(stub, "*.go"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("no recorder in %q: %v", stub, err)
		}
		for _, f := range files {
			abs, err := filepath.Abs(f)
			if err != nil {
				return nil, err
			}
			o.Replace[filepath.Join(strings.TrimSpace(string(root)), "src", "presagert", filepath.Base(f))] = abs
		}
	}
	text, err := o.JSON(r.Overlay)
	if err != nil {
		return nil, err
	}
	return o.Env, os.WriteFile(filepath.Join(keep, "overlay.json"), text, 0o644)
}

func goCommand(dir, keep string, env, args []string) (int, string, error) {
	abs, err := filepath.Abs(filepath.Join(keep, "overlay.json"))
	if err != nil {
		return 1, "", err
	}
	full := append([]string{args[0], "-overlay=" + abs}, args[1:]...)
	if args[0] == "test" {
		full = slices.Insert(full, 1, "-vet=off") // vet is for source that people wrote
	}
	cmd := exec.Command("go", full...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var errors bytes.Buffer
	cmd.Stdout = io.MultiWriter(os.Stdout, &errors)
	cmd.Stderr = io.MultiWriter(os.Stderr, &errors)
	err = cmd.Run()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		return 1, "", err
	}
	return cmd.ProcessState.ExitCode(), errors.String(), nil
}

func report(r *instrument.Result, stat string) error {
	fmt.Fprintf(os.Stderr, "emit: %d of %d functions (%.2f %%)\n", r.Emitted, r.Funcs, 100*float64(r.Emitted)/float64(max(1, r.Funcs)))
	reasons := map[string]int{}
	for _, o := range r.Opaque {
		reasons[o.Reason]++
	}
	for why, n := range reasons {
		fmt.Fprintf(os.Stderr, "emit: %4d %s\n", n, why)
	}
	if stat == "" {
		return nil
	}
	text, err := json.MarshalIndent(counts{r.Funcs, r.Emitted, r.Opaque}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(stat, text, 0o644)
}
