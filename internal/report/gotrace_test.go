package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestGoTrace: go tool trace reads the trace of each archive, which has a log for each step of each
// schedule and a task for each race.
func TestGoTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: builds go tool trace")
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives in testdata", err)
	}
	steps := 0
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "report.jsonl" })
		data := ar.Files[i].Data
		if bytes.Count(data, []byte(`{"summary":`)) != 1 {
			continue // several reports, or none
		}
		var out bytes.Buffer
		count := &counter{}
		if err := HandleJSON(bytes.NewReader(data), Tee(count, NewGoTrace(&out, TextOptions{Dir: "/src"}))); err != nil {
			t.Fatal(file, err)
		}
		name := filepath.Join(t.TempDir(), "trace.out")
		if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command("go", "tool", "trace", "-d=parsed", name).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: go tool trace: %v\n%s", file, err, text)
		}
		if logs, tasks := bytes.Count(text, []byte(" Log ")), bytes.Count(text, []byte(" TaskBegin ")); logs != count.steps || tasks != count.races {
			t.Errorf("%s: %d logs and %d tasks, want %d and %d\n%s", file, logs, tasks, count.steps, count.races, text)
		}
		steps += count.steps
	}
	if steps == 0 {
		t.Error("no archive has a step")
	}
}

// counter counts the schedules of a report.
type counter struct {
	Ignore
	races, steps int
}

// Race counts a race.
func (c *counter) Race(r *Race) error {
	if r.Witness != nil && len(r.Witness.Steps) > 0 {
		c.races, c.steps = c.races+1, c.steps+len(r.Witness.Steps)
	}
	return nil
}
