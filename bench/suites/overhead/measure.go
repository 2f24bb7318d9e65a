package overhead

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/trace"
)

// A meter runs subjects.
type meter struct {
	s     *session.Session
	timed *session.Timed
}

func newMeter(ctx context.Context, s *session.Session) (*meter, error) {
	timed, err := s.Timed(ctx)
	return &meter{s, timed}, err
}

// measure runs a subject in the builds, of which the first is plain and the second -race, in turn.
// The first round, which is not measured, builds and counts records and events. In the others the
// raw records are dropped when the program has ended: merging takes long, and is not what is
// measured.
func (m *meter) measure(ctx context.Context, sub subject, builds []build, rounds int) ([]*result, error) {
	results := make([]*result, len(builds))
	for i, b := range builds {
		r := &result{}
		results[i] = r
		u, err := m.run(ctx, sub, b, "keep")
		if err != nil {
			return nil, err
		}
		if r.raw, r.records = u.raw, u.records; b.recorded {
			if err := r.traces(m.kept(sub), b); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", sub.name, b.name, err)
			}
		}
	}
	for range rounds {
		used := make([]*usage, len(builds))
		for i, b := range builds {
			u, err := m.run(ctx, sub, b, "drop")
			if err != nil {
				return nil, err
			}
			used[i] = u
			r := results[i]
			r.costs.add(u.cost)
			r.times.add(u.over(used[0].cost))
			r.rates = append(r.rates, float64(u.raw)/u.wall/(1<<20))
		}
		for i, u := range used {
			results[i].raceTimes.add(u.over(used[1].cost))
		}
	}
	return results, nil
}

// kept is where presage keeps the trace of a subject, or a directory of traces.
func (m *meter) kept(sub subject) string { return filepath.Join(m.s.Dir, sub.name+".presage") }

// usage is what the processes of one run took, and their raw records.
type usage struct {
	cost
	raw, records int64
}

// run runs a subject in one build. The go command runs command timed, which runs the program.
func (m *meter) run(ctx context.Context, sub subject, b build, raws string) (*usage, error) {
	wrapper, err := m.timed.Exec(raws)
	if err != nil {
		return nil, err
	}
	command := []string{"go", sub.verb}
	if b.recorded {
		os.RemoveAll(m.kept(sub))
		command = []string{m.s.Presage, sub.verb, "-level", "none", "-o", m.kept(sub)}
	}
	command = slices.Concat(command, b.flags, []string{"-exec", wrapper}, sub.args)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = sub.dir
	cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0"), b.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	// The exit codes of tests do not matter: they may fail, or have races. Presage fails if it
	// finds no records.
	runErr := cmd.Run()
	unrecorded := b.recorded && raws == "drop"
	if sub.verb == "run" && runErr != nil && !unrecorded {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, runErr, out.Bytes())
	}
	processes, err := m.timed.Processes()
	if err != nil {
		return nil, err
	}
	if len(processes) == 0 {
		return nil, fmt.Errorf("%v did not run the program: %v\n%s", cmd.Args, runErr, out.Bytes())
	}
	return total(processes), nil
}

// total adds up what processes took. Of their peaks it takes the largest.
func total(processes []session.Process) *usage {
	u := &usage{}
	for _, p := range processes {
		u.cost = cost{u.cpu + p.CPU, u.wall + p.Wall, max(u.peak, p.Peak)}
		u.raw, u.records = u.raw+p.Raw, u.records+p.Records
	}
	return u
}

// lossy are warnings of a recording that is not whole: what it took cannot be compared.
var lossy = []string{"recording-stopped", "recording-incomplete", "raw-damaged", "records-dropped"}

// traces counts the events in the traces of a run, and their bytes. It is an error if the recording
// is not whole or the compiler was another one.
func (r *result) traces(name string, b build) error {
	files, err := filepath.Glob(filepath.Join(name, "*"))
	if err != nil {
		return err
	}
	if st, err := os.Stat(name); err == nil && !st.IsDir() {
		files = []string{name}
	}
	for _, f := range files {
		t, err := trace.Open(f)
		if err != nil {
			return err
		}
		r.events, r.traceBytes = r.events+max(t.Events(), 0), r.traceBytes+t.Size()
		warnings := t.Meta().Warnings
		t.Close()
		for _, w := range warnings {
			if slices.Contains(lossy, w.Code) || w.Code == "compiler" && b.name == "edited" {
				return fmt.Errorf("%s: %s", w.Code, w.Text)
			}
		}
	}
	if r.events == 0 {
		return fmt.Errorf("no events in %s", name)
	}
	return nil
}
