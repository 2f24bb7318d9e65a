package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// adapt says the same without packages that a module cannot import (internal/synctest)
// and functions that exist only under -race (RaceDisable, whose effect must not be seen).
var adapt = strings.NewReplacer(
	`"internal/synctest"`, `"testing/synctest"`,
	"synctest.Run(func() {", "synctest.Test(t, func(t *testing.T) {",
	"runtime.RaceDisable()", "runtime.Gosched()",
)

var testDecl = regexp.MustCompile(`(?m)^func (Test(?:No)?Race\w*)\(`)

// RaceTests copies the tests of Go's race detector into a module of their own below scratch, and
// lists them and those that cannot be there.
func RaceTests(scratch string) (dir string, tests, left []string, err error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", nil, nil, err
	}
	src := filepath.Join(strings.TrimSpace(string(goroot)), "src/runtime/race/testdata")
	files, err := filepath.Glob(filepath.Join(src, "*_test.go"))
	if err != nil || len(files) == 0 {
		return "", nil, nil, fmt.Errorf("no tests in %s (%v)", src, err)
	}
	dir = filepath.Join(scratch, "racetestdata")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module race_test\n\ngo 1.25\n"), 0o666); err != nil {
		return "", nil, nil, err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", nil, nil, err
		}
		data = []byte(adapt.Replace(string(data)))
		names := testDecl.FindAllStringSubmatch(string(data), -1)
		if strings.Contains(string(data), `"internal/`) { // not importable from a module
			for _, m := range names {
				left = append(left, m[1])
			}
			continue
		}
		for _, m := range names {
			tests = append(tests, m[1])
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o666); err != nil {
			return "", nil, nil, err
		}
	}
	slices.Sort(tests)
	return dir, tests, left, nil
}
