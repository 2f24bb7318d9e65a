package cost

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/presage-race/presage/bench/internal/inside"
	"github.com/presage-race/presage/bench/internal/session"
)

// A subject is a row: a program of programs/online, or the benchmarks of a module.
type subject struct {
	name            string
	module, version string
	parts           []part
}

// A part is a package of a module, and how often each of its benchmarks is run: the same work
// whatever the build.
type part struct {
	pkg   string
	times int
}

var subjects = []subject{
	{name: "sort"}, {name: "matrix"}, {name: "mapmutex"}, {name: "pipeline"}, {name: "atomics"}, {name: "http"},
	{name: "zap", module: "go.uber.org/zap", version: "v1.27.0", parts: []part{{".", 5000}, {"./zapcore", 200}}},
	{name: "golang-lru", module: "github.com/hashicorp/golang-lru/v2", version: "v2.0.7", parts: []part{{".", 300000}, {"./expirable", 200000}}},
	{name: "churn"}, {name: "alive"}, {name: "heap"},
}

// A program is what is run for a subject: one for itself, or one for each part.
type program struct {
	bin, dir string // bin without the mode
	args     []string
}

// build builds the programs of s, in the given modes.
func build(ctx context.Context, b *inside.Builder, s *subject, modes []string) ([]program, error) {
	if s.module == "" {
		p := program{filepath.Join(b.Dir, s.name), ".", nil}
		for _, m := range modes {
			if err := b.Build(m, ".", "./programs/online/"+s.name, p.bin+"."+m, false); err != nil {
				return nil, err
			}
		}
		return []program{p}, nil
	}
	dir, err := (&session.Session{Dir: b.Dir}).Module(ctx, s.module, s.version)
	if err != nil {
		return nil, err
	}
	var list []program
	for i, part := range s.parts {
		p := program{filepath.Join(b.Dir, fmt.Sprint(s.name, i)), filepath.Join(dir, part.pkg),
			[]string{"-test.run=^$", "-test.bench=.", fmt.Sprintf("-test.benchtime=%dx", part.times)}}
		for _, m := range modes {
			if err := b.Build(m, dir, part.pkg, p.bin+"."+m, true); err != nil {
				return nil, err
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// once runs the programs of a subject one after the other, and returns what they have used in all:
// time summed, and the largest peak of memory.
func once(ctx context.Context, b *inside.Builder, list []program, mode string, tree bool) (*inside.Run, error) {
	all := new(inside.Run)
	for _, p := range list {
		r, err := b.Once(ctx, p.bin+"."+mode, p.dir, tree, nil, p.args...)
		if err == nil && r.Exit != 0 {
			err = fmt.Errorf("%s %s: exit code %d", p.bin, mode, r.Exit)
		}
		if err != nil {
			return nil, err
		}
		all.CPU += r.CPU
		all.MB = max(all.MB, r.MB)
		all.Races += r.Races
	}
	return all, nil
}
