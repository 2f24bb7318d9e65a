package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/cli/scripts"
)

// quietTests are the tests of bench/precision/quiet that CI runs. Each has had false races, or uses
// synchronisation that only patches of the standard library record.
const quietTests = "^(TestProfiles|TestCPUProfile|TestMetrics|TestTraceStop|TestTime|TestStacks|TestHTTPJSON|TestTLS|TestOSPipe|TestExec|" +
	"TestSyncMap|TestPool|TestIterPull|TestFinalizers|TestWeakCache|TestUnique|TestContextTree|TestSQL|TestSynctest|TestSignal|TestLogs|TestParallel|TestC)$"

// TestQuiet records tests without a race that use the standard library from many goroutines.
func TestQuiet(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: records tests")
	}
	dir, err := filepath.Abs("../../bench/precision/quiet/testdata")
	if err != nil {
		t.Fatal(err)
	}
	packages := []string{"./core", "./encode", "./more", "./netio"}
	if _, err := exec.LookPath("gcc"); err == nil {
		packages = append(packages, "./cgo")
	}
	t.Setenv("PRESAGE_CACHE", scripts.Cache)
	code, stdout, stderr := command(append([]string{"test", "-C", dir, "-q", "-level", "hb", "-run", quietTests}, packages...)...)
	// With cgo, functions are left as written: the answer is one of a search in part.
	if code != 0 || !strings.Contains(stdout, "no races found") && !strings.Contains(stdout, "without finding a race") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
