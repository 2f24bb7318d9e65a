package sctbench

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/presage-race/presage/bench/internal/session"
)

// runLimit is how long one run of a program may take. A program that has not ended then waits for
// ever, if the runtime does not say so itself.
const runLimit = 3 * time.Second

var bug = regexp.MustCompile(`BUG: |all goroutines are asleep - deadlock!|(?m)^panic: `)

// detect runs a test that is built with -race.
func (b *bench) detect(ctx context.Context, p *program, test string, want wanted, _ int) (int, error) {
	binary := b.detectors[p.pkg]
	if binary == "" {
		binary = filepath.Join(b.Dir, p.pkg+".race.test")
		if out, err := exec.CommandContext(ctx, "go", "test", tag, "-race", "-c", "-o", binary, "./"+directory+"/"+p.pkg).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("building %s: %w\n%s", p.pkg, err, out)
		}
		b.detectors[p.pkg] = binary
	}
	// a process with -race waits at its end for late goroutines, for a second if nothing is said
	env := []string{"GORACE=atexit_sleep_ms=10"}
	for begun, n := time.Now(), 1; n <= b.limit && time.Since(begun) < b.time; n++ {
		m, err := session.Measure(ctx, runLimit, 0, b.Dir, env, binary, "-test.run=^"+test+"$")
		if err != nil {
			return 0, err
		}
		out := append(m.Stdout.Bytes(), m.Stderr.Bytes()...)
		if want == race && bytes.Contains(out, []byte("DATA RACE")) || want == failure && (m.Late || bug.Match(out)) {
			return n, nil
		}
	}
	return 0, nil
}

// predict runs presage test once.
func (b *bench) predict(ctx context.Context, p *program, test string, want wanted, _ int) (int, error) {
	within, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	o, err := b.Test(within, ".", nil, tag, "-vet=off", "-timeout="+runLimit.String(), "-run=^"+test+"$", "./"+directory+"/"+p.pkg)
	if err != nil {
		return 0, err
	}
	if want == race && len(o.Races) > 0 || want == failure && bug.Match(append(o.Stdout, o.Stderr...)) {
		return 1, nil
	}
	return 0, nil
}
