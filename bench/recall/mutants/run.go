package mutants

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/session"
)

// runner runs the tools in the copy of one module.
type runner struct {
	*module
	places
	scratch string
	presage string        // path of the command
	confirm string        // of the default level
	limit   time.Duration // of a run of presage
	built   []string      // test binaries with -race of the mutant that is in place
}

// output is what a command printed and how it ended.
type output struct {
	*session.Measured
	timeout bool
}

// run runs a command. At the limit its whole process group is killed.
func run(ctx context.Context, limit time.Duration, dir string, env []string, args ...string) (*output, error) {
	m, err := session.Measure(ctx, limit, 0, dir, env, args...)
	if err != nil {
		return nil, err
	}
	late := m.Late
	for _, b := range []*bytes.Buffer{&m.Stdout, &m.Stderr} {
		late = late || bytes.Contains(b.Bytes(), []byte("panic: test timed out"))
	}
	return &output{m, late}, nil
}

// builds is how long building the tests of a module may take.
const builds = 10 * time.Minute

// plain runs the tests of a mutant once.
func (r *runner) plain(ctx context.Context, tests []string) (outcome string, err error) {
	args := slices.Concat([]string{"go", "test", "-count=1", "-vet=off", "-timeout=" + r.module.limit.String()}, r.flags, tests)
	o, err := run(ctx, builds, r.module.dir, nil, args...)
	switch {
	case err != nil:
		return "", err
	case bytes.Contains(o.Stdout.Bytes(), []byte("[build failed]")), bytes.Contains(o.Stdout.Bytes(), []byte("[setup failed]")):
		return "build", nil
	case o.timeout:
		return "timeout", nil
	case o.Code != 0:
		return "fail", nil
	}
	return "pass", nil
}

// slower is how many times the limit of a plain run tests may take under a detector.
const slower = 4

// race runs the tests of a mutant once with -race.
func (r *runner) race(ctx context.Context, tests []string) (outcome string, races []race, err error) {
	if r.built == nil {
		for i, pkg := range tests {
			name := filepath.Join(r.scratch, "race"+strconv.Itoa(i)+".test")
			o, err := run(ctx, builds, r.module.dir, nil, "go", "test", "-race", "-vet=off", "-c", "-o", name, pkg)
			if err != nil {
				return "", nil, err
			}
			if o.Code != 0 {
				return "", nil, fmt.Errorf("building %s with -race: exit code %d\n%s", pkg, o.Code, o.Stderr.Bytes())
			}
			r.built = append(r.built, name)
		}
	}
	limit := slower * r.module.limit
	outcome = "pass"
	for i, pkg := range tests {
		args := []string{r.built[i], "-test.paniconexit0", "-test.count=1", "-test.timeout=" + limit.String()}
		for _, f := range r.flags {
			args = append(args, "-test."+strings.TrimPrefix(f, "-"))
		}
		dir := filepath.Join(r.module.dir, strings.TrimPrefix(pkg, r.path))
		// More history: without it some stacks are lost. It does not change which races are found.
		o, err := run(ctx, limit+time.Minute, dir, []string{"GORACE=history_size=7"}, args...)
		if err != nil {
			return "", nil, err
		}
		list := readRaces(o.Stderr.String(), r.places)
		races = append(races, list...)
		switch {
		case len(list) > 0 || outcome == "race":
			outcome = "race"
		case o.timeout:
			outcome = "timeout"
		case o.Code != 0 && outcome == "pass":
			outcome = "fail"
		}
	}
	return outcome, unique(races), nil
}

// predict runs presage once on the tests of a mutant. Without a report the outcome is timeout or
// broken.
func (r *runner) predict(ctx context.Context, level string, tests []string) (outcome string, races []race, err error) {
	args := []string{r.presage, "test", "-format=json", "-q", "-count=1", "-vet=off", "-timeout=" + (slower * r.module.limit).String()}
	if level == "hb" {
		args = append(args, "-level=hb", "-confirm=off")
	} else {
		args = append(args, "-confirm="+r.confirm)
	}
	var env []string
	if os.Getenv("PRESAGE_CACHE") == "" {
		env = []string{"PRESAGE_CACHE=" + filepath.Join(r.scratch, "cache")}
	}
	o, err := run(ctx, r.limit, r.module.dir, env, slices.Concat(args, r.flags, tests)...)
	if err != nil {
		return "", nil, err
	}
	out, err := session.Read(o.Stdout.Bytes())
	switch {
	case err == nil && len(out.Races) > 0:
		return "race", unique(predicted(out.Races, r.places)), nil
	case err == nil && o.Code == 0:
		return "pass", nil, nil
	case err == nil: // a test failed
		return "fail", nil, nil
	case o.timeout:
		return "timeout", nil, nil
	}
	return "broken", nil, nil
}

// unique keeps the first of equal races: the detector reports one for each pair of stacks.
func unique(all []race) []race {
	seen := map[race]bool{}
	return slices.DeleteFunc(all, func(r race) bool {
		was := seen[r]
		seen[r] = true
		return was
	})
}

// in puts a mutant in place, calls do and puts the original back.
func (r *runner) in(m *mutant, do func() error) error {
	r.built = nil
	if m.op == original {
		return do()
	}
	name := filepath.Join(r.module.dir, filepath.FromSlash(m.file))
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, apply(text, m.edits), 0o666); err != nil {
		return err
	}
	return errors.Join(do(), os.WriteFile(name, text, 0o666))
}
