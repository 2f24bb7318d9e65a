// Package static is the static lens: it finds pairs of accesses that may race in some run, without
// running the program.
//
// # What it computes
//
// RELAY (Voung, Jhala, Lerner, "RELAY: Static Race Detection on Millions of Lines of Code",
// ESEC/FSE 2007) for Go. Packages come dependencies first (package load). Each function gets a
// summary (package symbolic), callees first (package callgraph). A summary is written in paths that
// begin at what the function is given (package path), with relative locksets (package lockset) and
// relative synchronisation (package order). Warnings are found where both accesses are in one frame
// (package pairs), and over the roots of the program (package link).
//
// A package is one unit of work: its summaries depend on its source and on the summaries of its
// imports. When it is done, its syntax and SSA are released. Warnings are reported of the packages
// that the patterns name; their imports are summarised, and appear in call chains. Nothing is
// dropped in silence: every piece of evidence counts the pairs that it removes, and what is not
// modelled is counted.
//
// # Reports
//
// (ST1) Over roots, one warning is reported for each access and class of memory. The access is the
// one at which a lock is missing: the one that holds fewer locks, or, if they hold as many, one
// that writes. Of the pairs with this access the likeliest is shown, with the number of the others.
// The fingerprint of a pair is made of the two functions, the kinds of the accesses and the class
// of the memory, so that it stays when lines move. Pairs that agree in all of these are numbered by
// source line.
//
// (ST2) Within a tier, warnings with an access in a test file come last. Of the others, and of
// these, the stronger one comes first: memory that a lock guards elsewhere (package guard) before
// other memory; then two writes before a write and a read; then fewer calls between the goroutines'
// starts and the accesses before more.
//
// # Soundness
//
// The analysis is not sound, as the paper's is not. The packages say where: symbolic (SY1, SY6),
// before, link.
package static

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/static/evidence/promise"
	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/link"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/store"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/unmodelled"
)

// Config says what to analyse.
type Config struct {
	load.Config
	Tags     []string                          // build tags
	Progress func(done, total int, pkg string) // called after each package, one at a time

	Store string // directory of summaries (package store); "" is none
	Share bool   // summarise only, together with other processes that share Store
	Link  bool   // summarise nothing: all is in Store
}

// Result is what Run returns.
type Result struct {
	Pairs    []*Warning // one for each two places, by position
	Warnings []*Warning // those of Pairs that a report has (ST1)
	Stats    Stats
	Errors   []PackageError // of packages that did not load whole, by path

	Unmatched []string // why patterns match nothing
	Files     []string // of the packages that the patterns name

	sums    map[string]*summary.Function
	guards  *guard.Table
	roots   map[string]string         // as link.Found has them
	calls   map[string][]summary.Edge // as link.Found has them
	callers map[string][]caller       // by callee, made when they are wanted
	chains  map[[2]string]rooted      // by function and root
	starts  map[string]*summary.Spawn // by the function that goroutines begin with
	sources map[string][]string       // files of the packages that the patterns name, by path
}

// PackageError says why a package did not load whole.
type PackageError struct {
	Path   string
	Target bool // a pattern names it
	Errors []string
}

// compare orders errors; a package and its variant for a test have one path.
func (e PackageError) compare(o PackageError) int {
	return cmp.Or(strings.Compare(e.Path, o.Path), slices.Compare(e.Errors, o.Errors))
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
	Store               Store
}

// Store counts what was found in the directory of summaries.
type Store struct {
	Found, Made int
	Damaged     int // entries that were not whole
}

// run is one analysis.
type run struct {
	cfg     Config
	dir     *store.Dir // nil: none
	program store.Digest
	result  *Result

	mu sync.Mutex // guards what follows, and result.Stats and result.Errors
	// the summaries of all packages, by function
	versions map[string][]compiled
	numbers  map[string]int          // by package ID
	below    map[string]*big.Int     // by package ID, what the package imports, directly or not
	units    map[string]*unit        // by package ID
	digests  map[string]store.Digest // of a package and all that it imports
	done     int

	imported *imported // of one package alone, nil if all are visited

	missing []string // packages that are not in Store, with Config.Link
}

// MissingError says which packages have no summary in the directory.
type MissingError struct{ Packages []string }

func (e *MissingError) Error() string {
	return plural.Text(len(e.Packages), "{{n}} package{{|s}} {{has|have}} no summary in the directory, the first is ") + e.Packages[0]
}

func newRun(cfg Config) *run {
	return &run{cfg: cfg, result: &Result{}, versions: map[string][]compiled{}, numbers: map[string]int{}, below: map[string]*big.Int{},
		units: map[string]*unit{}, digests: map[string]store.Digest{}}
}

// Run analyses the packages that the patterns name.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	// memory bounds the size of what can be analysed
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	if len(cfg.Tags) > 0 {
		cfg.BuildFlags = append(slices.Clip(cfg.BuildFlags), "-tags="+strings.Join(cfg.Tags, ","))
	}
	prog, err := load.List(ctx, cfg.Config)
	if err != nil {
		return nil, err
	}
	r := newRun(cfg)
	r.result.Unmatched, r.result.sources = prog.Unmatched, map[string][]string{}
	for _, m := range prog.Packages {
		if m.Target {
			r.result.Files = append(r.result.Files, m.CompiledGoFiles...)
			r.result.sources[m.PkgPath] = m.CompiledGoFiles
		}
	}
	if err := r.open(cfg.Store); err != nil {
		return nil, err
	}
	if err := r.visitAll(ctx, prog); err != nil {
		return nil, err
	}
	r.result.Stats.Lines = prog.Lines
	if !cfg.Share {
		r.link(prog)
	}
	if r.dir != nil {
		if err := r.dir.Trim(); err != nil {
			return nil, err
		}
	}
	return r.result, nil
}

// open opens the directory that keeps summaries; none has the name "".
func (r *run) open(dir string) (err error) {
	if dir == "" {
		return nil
	}
	if r.dir, err = store.Open(dir); err != nil {
		return err
	}
	if r.program, err = store.Executable(); err != nil {
		return fmt.Errorf("the executable, which summaries are kept under: %w", err)
	}
	return nil
}

// visitAll makes or reads the summaries of all packages.
func (r *run) visitAll(ctx context.Context, prog *load.Program) error {
	progress := func(p *load.Package) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done++
		if r.cfg.Progress != nil {
			r.cfg.Progress(r.done, len(prog.Packages), p.Path)
		}
	}
	err := prog.Visit(ctx, r.cfg.Workers, load.Visitor{
		Known: func(p *load.Package) (load.State, error) {
			state, err := r.known(p)
			if state == load.Known {
				progress(p)
			}
			return state, err
		},
		Visit: func(p *load.Package) error {
			defer progress(p)
			return r.visit(p)
		}})
	if err != nil {
		return err
	}
	if len(r.missing) > 0 {
		slices.Sort(r.missing)
		return &MissingError{r.missing}
	}
	return nil
}

// link does what needs all summaries, in the order of the packages.
func (r *run) link(prog *load.Program) {
	sums := map[string]*summary.Function{}
	judged := map[[2]summary.Pos]bool{}
	var found []*pairs.Warning
	var promises []*promise.Package
	t := &r.result.Stats
	for _, m := range prog.Packages {
		u := r.units[m.ID]
		if u == nil {
			continue
		}
		promises = append(promises, u.Promises)
		own := map[string]*summary.Function{}
		for _, f := range u.Functions {
			own[f.Key] = f
			if old := sums[f.Key]; old == nil || f.Target && !old.Target {
				// a package and its variant for a test
				sums[f.Key] = f
			}
		}
		for _, w := range u.Found {
			found = append(found, &pairs.Warning{Frame: own[w.Frame], A: w.A, B: w.B, Codes: w.Codes})
		}
		maps.Copy(judged, u.Stats.Pairs.Judged)
		t.add(&u.Stats)
	}
	r.result.sums = sums
	linked := link.Find(sums, found, judged, promises, &t.Link)
	r.result.guards, r.result.roots, r.result.calls = linked.Guards, linked.Roots, linked.Calls
	slices.SortFunc(r.result.Errors, PackageError.compare)
	t.Cuts[summary.BoundContexts] += t.Link.Merged
	t.Cuts[summary.BoundSites] += t.Link.Left
	r.result.Pairs = r.result.merge(linked.Warnings)
	r.result.Warnings = gather(r.result.Pairs)
}

// add adds the counts of a package.
func (t *Stats) add(o *Stats) {
	t.Functions += o.Functions
	t.Cuts.Add(&o.Cuts)
	t.Cuts[summary.BoundPairs] += o.Pairs.Cut
	t.Cuts[summary.BoundChain] += o.Pairs.Chain
	t.Unmodelled.Add(o.Unmodelled)
	t.Spawns += o.Spawns
	t.Accesses += o.Accesses
	t.Holes += o.Holes
	t.Pairs.Pairs += o.Pairs.Pairs
	t.Pairs.Locks += o.Pairs.Locks
	t.Pairs.Ordered += o.Pairs.Ordered
	t.Pairs.Instances += o.Pairs.Instances
	t.Pairs.Atomic += o.Pairs.Atomic
}
