// Package relay is the static lens: every pair of accesses that may race in some run, found without running anything.
//
// # What it computes
//
// RELAY (Voung, Jhala, Lerner, ESEC/FSE 2007) for Go. Packages come dependencies first (package load). Of each function a summary is
// made (package symbolic), callees first (package callgraph), in paths that begin at what the function is given (package path), with
// relative locksets (package lockset) and what synchronises (package order). Warnings are found where both accesses are in one
// frame (package pairs), and, for what no frame sees whole, over the roots of the program (package link).
//
// # Rules
//
// (V1) A package is one unit of work: its summaries depend on its source and the summaries of its imports. When it is done, its
// syntax and SSA are let go.
//
// (V2) What is reported is what the patterns name; what they import is summarised, and stands in call chains.
//
// (V3) Nothing is dropped in silence: every piece of evidence counts what it takes out, and what is not modelled is counted.
//
// (V4) Over roots, one warning is reported for each write and class of memory: the likeliest, with the number of the others.
//
// # Soundness
//
// Not sound, as the paper is not, and where it is not is said in the packages: symbolic (X2, X9), before, link.
package relay

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"presage/internal/relay/callgraph"
	"presage/internal/relay/guard"
	"presage/internal/relay/link"
	"presage/internal/relay/load"
	"presage/internal/relay/pairs"
	"presage/internal/relay/path"
	"presage/internal/relay/summary"
	"presage/internal/relay/symbolic"
	"presage/internal/relay/unmodelled"
)

// Config says what to analyse.
type Config struct {
	load.Config
	Tags     []string                          // build tags
	Progress func(done, total int, pkg string) // called after each package, one at a time
}

// Result is what Run returns.
type Result struct {
	Pairs    []*Warning // one for each two places, by position
	Warnings []*Warning // those of Pairs that a report has (V4)
	Stats    Stats
	Errors   []PackageError // of packages that did not load whole, by path

	Unmatched []string // why patterns match nothing

	sums    map[string]*summary.Function
	guards  *guard.Table
	roots   map[string]string   // as link.Found has them
	callers map[string][]caller // by callee, made when they are wanted
}

// PackageError says why a package did not load whole.
type PackageError struct {
	Path   string
	Target bool // a pattern names it
	Errors []string
}

func (e PackageError) String() string {
	more := ""
	if n := len(e.Errors) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("package %s is analysed only as far as it loads: %s%s", e.Path, e.Errors[0], more)
}

// Stats counts what was done.
type Stats struct {
	Packages, Functions int
	Lines               int64
	Accesses, Spawns    int
	Holes               int
	Cuts                summary.Cuts // what is beyond the bounds
	Unmodelled          unmodelled.Counts
	Pairs               pairs.Counts
	Link                link.Counts
}

// run is one analysis.
type run struct {
	mu     sync.Mutex
	sums   map[string]*summary.Function
	result *Result
	found  []*pairs.Warning
	judged map[[2]summary.Pos]bool // pairs of positions that are ordered where both goroutines are known
	tags   []string                // of the build
}

// Run analyses the packages that the patterns name.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // memory bounds the size of what can be analysed
	if len(cfg.Tags) > 0 {
		cfg.BuildFlags = append(slices.Clip(cfg.BuildFlags), "-tags="+strings.Join(cfg.Tags, ","))
	}
	prog, err := load.List(ctx, cfg.Config)
	if err != nil {
		return nil, err
	}
	r := &run{sums: map[string]*summary.Function{}, judged: map[[2]summary.Pos]bool{}, tags: cfg.Tags, result: &Result{Unmatched: prog.Unmatched}}
	r.result.sums = r.sums
	done := 0
	err = prog.Visit(ctx, cfg.Workers, func(p *load.Package) error {
		if err := r.visit(p); err != nil {
			return err
		}
		if cfg.Progress != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			done++
			cfg.Progress(done, len(prog.Packages), p.Path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.result.Stats.Lines = prog.Lines
	linked := link.Find(r.sums, r.judged, &r.result.Stats.Link)
	r.found = append(r.found, linked.Warnings...)
	r.result.guards, r.result.roots = linked.Guards, linked.Roots
	slices.SortFunc(r.result.Errors, func(a, b PackageError) int { return strings.Compare(a.Path, b.Path) })
	l := &r.result.Stats.Link
	r.result.Stats.Cuts[summary.BoundContexts] += l.Merged
	r.result.Stats.Cuts[summary.BoundSites] += l.Left
	r.result.Pairs = r.result.merge(r.found)
	r.result.Warnings = gather(r.result.Pairs)
	return r.result, nil
}

// visit summarises a package (V1).
func (r *run) visit(p *load.Package) error {
	r.mu.Lock()
	r.result.Stats.Packages++
	if len(p.Errors) > 0 && (p.Target || len(p.Files) > 0) { // what has no files at all is an error of its importer
		r.result.Errors = append(r.result.Errors, PackageError{p.Path, p.Target, p.Errors})
	}
	r.mu.Unlock()
	if p.SSA == nil {
		return nil
	}
	own := map[string]*summary.Function{}
	generated := map[string]bool{}
	for _, f := range p.Files {
		if ast.IsGenerated(f) {
			generated[p.Fset.File(f.FileStart).Name()] = true
		}
	}
	c := &symbolic.Context{Generated: func(pos token.Pos) bool { return pos.IsValid() && generated[p.Fset.File(pos).Name()] },
		Table: path.NewTable(), Fset: p.Fset, Std: p.Std, Lookup: func(key string) *summary.Function {
			if s := own[key]; s != nil {
				return s
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.sums[key]
		}}
	var stats Stats
	var found []*pairs.Warning
	fns := callgraph.Functions(p.SSA)
	stats.Unmodelled = unmodelled.Of(p, fns, r.tags)
	for _, comp := range callgraph.Components(fns) {
		rounds := 1
		if len(comp) > 1 {
			rounds = 2
		}
		for round := range rounds {
			for _, fn := range comp {
				s := c.Analyse(fn)
				if round == rounds-1 {
					if p.Target {
						found = append(found, pairs.Find(s, &stats.Pairs)...)
					}
					stats.Functions++
					stats.Cuts.Add(&s.Cuts)
					stats.Spawns += len(s.Spawns)
				}
				s.Target = p.Target
				symbolic.Export(s)
				own[s.Key] = s
			}
		}
	}
	for _, s := range own {
		stats.Accesses += len(s.Accesses)
		stats.Holes += len(s.Holes)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, s := range own {
		r.sums[k] = s
	}
	r.found = append(r.found, found...)
	t := &r.result.Stats
	t.Functions += stats.Functions
	t.Unmodelled.Add(stats.Unmodelled)
	t.Cuts.Add(&stats.Cuts)
	t.Cuts[summary.BoundPairs] += stats.Pairs.Cut
	t.Cuts[summary.BoundChain] += stats.Pairs.Chain
	t.Spawns += stats.Spawns
	t.Accesses += stats.Accesses
	t.Holes += stats.Holes
	maps.Copy(r.judged, stats.Pairs.Judged)
	t.Pairs.Pairs += stats.Pairs.Pairs
	t.Pairs.Locks += stats.Pairs.Locks
	t.Pairs.Ordered += stats.Pairs.Ordered
	t.Pairs.Instances += stats.Pairs.Instances
	t.Pairs.Atomic += stats.Pairs.Atomic
	return nil
}
