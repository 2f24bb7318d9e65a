// Package known has data races of public modules, with the versions before and after the fix. Each
// has a driver, which makes the two accesses through the module's public API.
//
// testdata/races.tsv is the list. A driver is testdata/NAME/driver_test.go: two calls that race.
// testdata/orders_test.go runs them in two orders: side by side (TestTogether), and one after the
// other under a lock of the driver (TestMasked), which hides the race from go test -race.
package known

import (
	"context"
	"embed"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/session"
)

//go:embed testdata
var files embed.FS

// Orders are the tests of a driver.
var Orders = []string{"TestTogether", "TestMasked"}

// Race is a race of a public module.
type Race struct {
	Name, Module, Before, After string
	Object                      string // part of the reported object or expression
}

// Races returns the list, or the race of one name.
func Races(only string) (list []Race, err error) {
	data, err := files.ReadFile("testdata/races.tsv")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 5 || only != "" && f[0] != only {
			continue
		}
		list = append(list, Race{f[0], f[1], f[2], f[3], f[4]})
	}
	return list, nil
}

// Driven returns the directory of a version of the module, with the driver in it as package
// presagedriver.
func Driven(ctx context.Context, s *session.Session, r Race, version string) (string, error) {
	mod, err := s.Module(ctx, r.Module, version)
	if err != nil {
		return "", err
	}
	sub := filepath.Join(mod, "presagedriver")
	if err := os.MkdirAll(sub, 0o777); err != nil {
		return "", err
	}
	for _, name := range []string{"orders_test.go", r.Name + "/driver_test.go"} {
		text, err := files.ReadFile("testdata/" + name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(sub, path.Base(name)), text, 0o666); err != nil {
			return "", err
		}
	}
	return mod, nil
}
