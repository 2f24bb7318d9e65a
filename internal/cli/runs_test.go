package cli

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
)

// runAt makes a run of an earlier presage, which has no file of its own beside its report.
func runAt(t *testing.T, cache, id, dir string, summary *report.Summary) {
	t.Helper()
	of := filepath.Join(cache, "runs", id)
	if err := os.MkdirAll(of, 0o700); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	h := report.NewJSON(&out)
	if err := h.Config(&report.Config{Protocol: report.ProtocolVersion, Dir: dir, Command: []string{"presage", "test", "-run", "A|B", "it's"}}); err != nil {
		t.Fatal(err)
	}
	if summary != nil {
		if err := h.Summary(summary); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(of, record.ReportFile), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestListRuns has a run for each verdict, newest first.
func TestListRuns(t *testing.T) {
	cache, here, other := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PRESAGE_CACHE", cache)
	t.Setenv("GOWORK", "")
	t.Chdir(here)
	runAt(t, cache, "20260101T000001.000-1", here, &report.Summary{Races: 2, ExitCode: 3})
	runAt(t, cache, "20260101T000002.000-1", here, &report.Summary{})
	runAt(t, cache, "20260101T000003.000-1", here, &report.Summary{Coverage: &report.Coverage{Searched: report.Whole}})
	runAt(t, cache, "20260101T000004.000-1", here, &report.Summary{Coverage: &report.Coverage{Searched: report.Part}, ExitCode: 1})
	runAt(t, cache, "20260101T000005.000-1", here, &report.Summary{Coverage: &report.Coverage{Searched: report.Nothing}})
	runAt(t, cache, "20260101T000006.000-1", here, nil)
	runAt(t, cache, "20260101T000007.000-1", other, &report.Summary{})
	list := func(all bool) []string {
		var out bytes.Buffer
		if err := listRuns(&Env{Stdout: &out}, all, false); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	lines := list(false)
	want := []string{"ID ", "damaged           -     -", "not searched      0     0", "searched in part  1     0", "no races          0     0", "unknown           0     0", "races             3     2"}
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	for i, line := range lines {
		if !strings.Contains(line, want[i]) || i > 0 && !strings.HasSuffix(line, `presage test -run 'A|B' 'it'\''s'`) {
			t.Errorf("%q, want %q in it", line, want[i])
		}
	}
	if lines := list(true); len(lines) != len(want)+1 || !strings.Contains(lines[1], other) {
		t.Errorf("%q", lines)
	}
	t.Chdir(cache)
	if lines := list(false); len(lines) != 1 || !strings.Contains(lines[0], "no run of the module in "+cache+" is kept") {
		t.Errorf("%q", lines)
	}
}

// TestDamagedRun: an error that says what was found is passed on.
func TestDamagedRun(t *testing.T) {
	run := &record.RunDir{ID: "1", Command: []string{"presage", "test"}}
	found := &exitError{code: exitRaces}
	for _, err := range []error{nil, found, &fs.PathError{Op: "write", Path: "/dev/full", Err: syscall.ENOSPC}} {
		if got := damagedRun(run, err); got != err {
			t.Error(got)
		}
	}
	if err := damagedRun(run, io.ErrUnexpectedEOF); err == nil || !strings.Contains(err.Error(), "run 1 is damaged: unexpected EOF. Make it anew: presage test; or take another one") {
		t.Error(err)
	}
}
