package overhead

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/session"
)

// A subject is one program: a directory, and arguments of the go command.
type subject struct {
	name, dir string
	verb      string // run or test
	args      []string
}

//go:embed testdata/modules.tsv
var modules string

// subjects lists all of them, or the one of a name.
func subjects(ctx context.Context, s *session.Session, only string) ([]subject, error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	var list []subject
	wanted := func(name string) bool { return only == "" || only == name }
	for _, p := range []string{"sort", "matmul", "cache", "http", "json"} {
		if wanted(p) {
			list = append(list, subject{p, here, "run", []string{"./programs/overhead/" + p}})
		}
	}
	if wanted("vet") {
		unit, err := vetUnit(ctx, s.Dir, "net/http")
		if err != nil {
			return nil, err
		}
		list = append(list, subject{"vet", here, "run", []string{"cmd/vet", unit}})
	}
	for line := range strings.Lines(modules) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 4 || !wanted(f[0]) {
			continue
		}
		dir, err := s.Module(ctx, f[1], f[2])
		if err != nil {
			return nil, err
		}
		list = append(list, subject{f[0], dir, "test", append([]string{"-vet=off", "-count=1"}, strings.Fields(f[3])...)})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no subject %q", only)
	}
	return list, nil
}
