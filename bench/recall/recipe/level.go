package recipe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// Level is the name of the subcommand that analyses a trace in a process of its own, so that its
// CPU time and its memory can be measured.
const Level = "recipe-level"

// levels are analysed in this order. Each of them but causal is a column of the paper.
var levels = []string{"RV", "causal", "value", "path"}

// analysis is the analysis of a trace at one level.
type analysis struct {
	Races []race
	// pairs on which the engine's budget was spent; events that were not searched
	Unknown, Unsearched int64
	Rejected, Refusing  int64 // errors of presage
	Promising, Settled  int
	Mismatches          int64
	seconds             float64 // CPU
	wall                time.Duration
	mb                  int64 // peak memory
}

// race is a pair of source lines and kinds.
type race struct {
	A, B     access
	Observed bool // happens-before leaves the pair unordered in the recorded run
	Recorded bool // no reordering has the two accesses next to each other
	Tier     string
}

type access struct {
	File      string
	Line, Col int
	Kind      string
	Expr      string
}

func (a access) String() string {
	return fmt.Sprintf("%s %s %s:%d", a.Kind, a.Expr, filepath.Base(a.File), a.Line)
}

// key is what identifies a race.
func (r *race) key() string {
	return fmt.Sprint(r.A.File, ":", r.A.Line, ":", r.A.Col, " ", r.A.Kind, ", ", r.B.File, ":", r.B.Line, ":", r.B.Col, " ", r.B.Kind)
}

// MainLevel is subcommand Level: it prints the analysis of a trace as JSON.
func MainLevel(args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "a trace and a level")
		return 2
	}
	a, err := analyse(context.Background(), args[0], args[1])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(a)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

// analyseApart has a trace analysed in a process of its own.
func analyseApart(ctx context.Context, file, level string) (*analysis, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	cmd := exec.CommandContext(ctx, self, Level, file, level)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	a := &analysis{wall: time.Since(begin)}
	if err := json.Unmarshal(out, a); err != nil {
		return nil, err
	}
	a.seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	a.mb = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	return a, nil
}

// analyse analyses a trace at a level.
func analyse(ctx context.Context, file, level string) (a *analysis, err error) {
	s, err := source.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	meta := s.Meta()
	open := func() (trace.Source, io.Closer, error) {
		f, err := source.Open(file)
		return f, f, err
	}
	opt := predict.Options{Level: predict.Causal, Open: open}
	var w *walk.Walker
	if level != "RV" { // without a walker every read keeps its value
		p, err := walk.Load(ctx, meta)
		if err != nil {
			return nil, err
		}
		switch level {
		case "causal":
			w = walk.New(p)
		case "value":
			w, opt.Level = walk.NewSymbolic(p), predict.Value
		case "path":
			w, opt.Level = walk.NewBranching(p), predict.Paths
			w.MindMissing()
		default:
			return nil, fmt.Errorf("there is no level %q", level)
		}
		w.Read(meta)
		opt.Walker = w
	}
	res, err := predict.Run(ctx, s, meta, opt)
	if err != nil {
		return nil, err
	}
	if level != "RV" { // which the recorded run alone does not prove
		if err := predict.Confirm(open, meta, res); err != nil {
			return nil, err
		}
	}
	c := &res.Counts
	a = &analysis{Unknown: c.Unknown, Unsearched: c.Unsearched, Rejected: c.Rejected, Refusing: c.Refusing, Promising: c.Promising, Settled: c.Settled}
	if w != nil {
		a.Mismatches = w.Stats().Mismatches
	}
	kinds, err := kindsOf(file, res.Races)
	if err != nil {
		return nil, err
	}
	for i := range res.Races {
		a.Races = append(a.Races, raceOf(meta, &res.Races[i], kinds))
	}
	return a, nil
}

// kindsOf are the kinds of the recorded accesses of races, by event.
func kindsOf(file string, races []predict.Race) (map[int64]string, error) {
	kinds := make(map[int64]string)
	for i := range races {
		for _, x := range []*predict.Access{&races[i].A, &races[i].B} {
			if x.Index < predict.AlternativeBase {
				kinds[x.Index] = ""
			}
		}
	}
	s, err := source.Open(file)
	if err != nil {
		return nil, err
	}
	var e trace.Event
	for i := int64(0); ; i++ {
		if err := s.Next(&e); err == io.EOF {
			return kinds, s.Close()
		} else if err != nil {
			return nil, closing(s, err)
		}
		if _, ok := kinds[i]; ok {
			kinds[i] = e.Kind.String()
		}
	}
}

// raceOf is a race with its source lines, the first in the source first.
func raceOf(meta *trace.Meta, r *predict.Race, kinds map[int64]string) race {
	var steps []predict.PathStep
	for _, p := range r.Paths {
		steps = append(steps, p.Steps...)
	}
	at := func(x predict.Access) access {
		a := access{Kind: kinds[x.Index]}
		if k := x.Index - predict.AlternativeBase; k >= 0 && k < int64(len(steps)) {
			a.Kind = steps[k].Kind.String()
		}
		if int(x.Site) < len(meta.Sites) {
			s := &meta.Sites[x.Site]
			a.Line, a.Col, a.Expr = int(s.Line), int(s.Col), s.Expr
			if s.File >= 0 && int(s.File) < len(meta.Files) {
				a.File = meta.Files[s.File].Name
			}
		}
		return a
	}
	out := race{A: at(r.A), B: at(r.B), Observed: r.Tier == predict.Observed, Recorded: r.Recorded, Tier: r.Tier.String()}
	if fmt.Sprint(out.A) > fmt.Sprint(out.B) {
		out.A, out.B = out.B, out.A
	}
	return out
}

// adjacent are the races by the paper's definition: a reordering has the accesses next to each
// other.
func (a *analysis) adjacent() map[string]bool {
	keys := make(map[string]bool)
	for i := range a.Races {
		if r := &a.Races[i]; !r.Recorded {
			keys[r.key()] = true
		}
	}
	return keys
}

// count counts the races that have a property.
func (a *analysis) count(has func(*race) bool) (n int) {
	seen := make(map[string]bool)
	for i := range a.Races {
		if r := &a.Races[i]; has(r) && !seen[r.key()] {
			seen[r.key()] = true
			n++
		}
	}
	return n
}

// without are the keys of a that b does not have.
func without(a, b map[string]bool) []string {
	var keys []string
	for k := range a {
		if !b[k] {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
