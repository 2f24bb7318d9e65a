package walk

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// Load builds the SSA of the program that a trace was recorded from, from the source as it is now,
// and returns its plan. Functions that were opaque in the recording are opaque in the plan. It is
// an error if the source has changed: sites would name other instructions. Without a plan there is
// no walk, and the analysis treats every read as needed.
func Load(ctx context.Context, meta *trace.Meta) (*plan.Plan, error) {
	cfg := plan.Config{Dir: meta.Dir, Env: append(os.Environ(), meta.BuildEnv...), BuildFlags: meta.BuildFlags, Tested: meta.Tested, GoFiles: meta.GoFiles}
	files, _, _ := meta.Program()
	for _, f := range files {
		cfg.Tests = cfg.Tests || strings.HasSuffix(f.Name, "_test.go")
	}
	seen := map[string]bool{}
	for _, path := range meta.Packages {
		if cfg.Tests {
			path = strings.TrimSuffix(path, "_test") // loaded with its package
		}
		if !seen[path] {
			seen[path] = true
			cfg.Patterns = append(cfg.Patterns, path)
		}
	}
	prog, err := plan.Load(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("loading the recorded program: %w", err)
	}
	var missing []string
	for _, m := range meta.Missing {
		missing = append(missing, m.Path)
	}
	p := plan.OfRecording(prog, missing, nil)
	if err := p.Matches(meta); err != nil {
		return nil, err
	}
	if opaque := opaqueUnits(p, meta); len(opaque) > 0 {
		p = plan.OfRecording(prog, missing, opaque)
	}
	return p, nil
}

// Same reports whether two traces were recorded from one program: its source, how it was built, and
// what was recorded of it.
func Same(a, b *trace.Meta) bool {
	aFiles, aFuncs, aSites := a.Program()
	bFiles, bFuncs, bSites := b.Program()
	return a.Dir == b.Dir && slices.Equal(a.BuildEnv, b.BuildEnv) && slices.Equal(a.BuildFlags, b.BuildFlags) && slices.Equal(a.Tested, b.Tested) && slices.Equal(a.GoFiles, b.GoFiles) &&
		slices.Equal(a.Packages, b.Packages) && slices.Equal(a.Missing, b.Missing) && slices.Equal(aFiles, bFiles) && slices.Equal(aFuncs, bFuncs) && slices.Equal(aSites, bSites)
}

// opaqueUnits returns the units that the recorded build left as written, with the reasons.
func opaqueUnits(p *plan.Plan, meta *trace.Meta) map[string]string {
	m := map[string]string{}
	for _, u := range p.Units {
		for _, f := range u.Funcs {
			if why := meta.Funcs[f.ID].Opaque; why != "" && u.Opaque == "" {
				m[u.Key] = why
			}
		}
	}
	return m
}
