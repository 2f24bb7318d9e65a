package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/typo"
)

// Reach says how it is known what a call of a package that is left out may touch
// (docs/theory/excluded.md).
type Reach string

const (
	// what it touches is recorded, as of all outside code; "" is the same
	ReachTouched Reach = "touched"
	// its D, what it can reach, is found once for each object, and kept up to date
	ReachKept Reach = "kept"
	ReachFull Reach = "full" // D is found anew at every call
	// kept, and compared with full: the program stops where they differ
	ReachCheck Reach = "check"
)

// Reaches are all of them.
var Reaches = []Reach{ReachTouched, ReachKept, ReachFull, ReachCheck}

// walks reports whether the recorder follows what a call is given, and nothing is recorded of what
// it does.
func (r Reach) walks() bool { return r != "" && r != ReachTouched }

// ReachNames lists them.
func ReachNames() string {
	var names []string
	for _, r := range Reaches {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// chosen are the packages of the program among which -exclude and -only choose.
type chosen struct {
	find          finder
	only, exclude []string // arguments of the flags
	walks         bool     // a call of a package that is left out is followed (Reach)

	all     []listed          // outside the standard library, by path
	std     []string          // those of the standard library, by path
	modules map[string]module // of packages in the module cache
}

func (o *chosen) module(path string, m module) {
	if o.modules == nil {
		o.modules = make(map[string]module)
	}
	o.modules[path] = m
}

// sort orders the packages, each once.
func (o *chosen) sort() {
	slices.Sort(o.std)
	slices.SortFunc(o.all, func(a, b listed) int { return cmp.Compare(a.ImportPath, b.ImportPath) })
	o.all = slices.CompactFunc(o.all, func(a, b listed) bool { return a.ImportPath == b.ImportPath })
}

// leave takes out of in what is not to be traced, and notes the modules of which copies are built.
func (o *chosen) leave(ctx context.Context, in *inputs) error {
	only, err := o.matching(ctx, "-only", o.only)
	if err != nil {
		return err
	}
	exclude, err := o.matching(ctx, "-exclude", o.exclude)
	if err != nil {
		return err
	}
	traced := in.patterns
	in.patterns = slices.DeleteFunc(slices.Clone(traced), func(p string) bool { return exclude[p] || len(only) > 0 && !only[p] })
	for _, l := range o.all {
		p := l.ImportPath
		if exclude[p] || slices.Contains(traced, p) && !slices.Contains(in.patterns, p) {
			in.missing = append(in.missing, p)
		}
	}
	if len(in.patterns) == 0 && len(in.missing) > 0 {
		return &LeftOutError{errors.New("-exclude and -only leave no package to trace")}
	}
	if !o.walks {
		in.missing = nil
	}
	for _, p := range slices.Concat(in.patterns, in.missing) {
		if m, ok := o.modules[p]; ok {
			in.modules = append(in.modules, m)
		}
	}
	slices.SortFunc(in.modules, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	in.modules = slices.Compact(in.modules)
	return nil
}

// LeftOutError says that -exclude or -only make no sense for the program.
type LeftOutError struct{ error }

// matching returns the packages of the program that the patterns name. Each must name one.
func (o *chosen) matching(ctx context.Context, flag string, patterns []string) (map[string]bool, error) {
	found := make(map[string]bool)
	list, err := o.find.patterns(ctx, flag, patterns)
	if err != nil {
		return nil, err
	}
	for _, n := range list {
		some := false
		for _, p := range o.all {
			if n.match(&p) {
				found[p.ImportPath], some = true, true
			}
		}
		if !some {
			near := strings.Join(o.near(n.text), ", ")
			return nil, &LeftOutError{fmt.Errorf("%s %s matches no package of the program that could be "+
				"traced; near it: %s", flag, n.text, near)}
		}
	}
	return found, nil
}

// near returns the packages whose paths are most like a pattern.
func (o *chosen) near(pattern string) []string {
	want := strings.Trim(strings.TrimSuffix(path.Clean(pattern), "..."), "./")
	var list []string
	for _, p := range o.all {
		list = append(list, p.ImportPath)
	}
	distance := func(p string) int {
		return min(typo.Distance(p, want), typo.Distance(path.Base(p), path.Base(want)), typo.Distance(p[max(0, len(p)-len(want)):], want))
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	return list[:min(3, len(list))]
}
