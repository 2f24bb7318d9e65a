package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Known is a race of a real module, and the versions before and after its fix.
type Known struct{ Name, Module, Before, After string }

const knownRaces = "bench/realraces/testdata"

// KnownRaces are those of bench/realraces; only, if not empty, is the name of the one that is
// wanted.
func KnownRaces(only string) (list []Known, err error) {
	data, err := os.ReadFile(filepath.Join(knownRaces, "races.tsv"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 5 || only != "" && f[0] != only {
			continue
		}
		list = append(list, Known{f[0], f[1], f[2], f[3]})
	}
	return list, nil
}

// Driven is a version of the module with the driver in it, as package presagedriver.
func (s *Session) Driven(ctx context.Context, k Known, version string) (string, error) {
	mod, err := s.Module(ctx, k.Module, version)
	if err != nil {
		return "", err
	}
	sub := filepath.Join(mod, "presagedriver")
	if err := os.MkdirAll(sub, 0o777); err != nil {
		return "", err
	}
	for _, name := range []string{"orders_test.go", k.Name + "/driver_test.go"} {
		text, err := os.ReadFile(filepath.Join(knownRaces, name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(sub, filepath.Base(name)), text, 0o666); err != nil {
			return "", err
		}
	}
	return mod, nil
}
