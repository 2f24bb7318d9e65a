// Package known looks for known races of public modules with the static lens. Each race of
// known.txt must be in the default tier in the version before the fix, and not in it in the
// version after the fix.
//
//	go -C bench run ./static known [-whole] [-only name] [-dir scratch] [-v]
//	go -C bench run ./static known -check-list
//	go -C bench run ./static known -half seen [-only name] [-dir scratch]
//
// It prints a line for each race, and which reason codes keep races out of the default tier. The
// target is to find 11 of the 13 races, with no reason code that takes more than 5 % of them. With
// -whole all packages of the module are analysed, its commands with them.
//
// frozen.txt is a second list, chosen without running the lens. -check-list compares it with the
// files of the modules, and analyses nothing. -half seen looks for the races of that half of it
// instead of those of known.txt; the other half is for the end. There a warning is the race if its
// accesses are in the two functions, on lines that name the variable, or calls on the way to them
// are.
package known

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

//go:embed known.txt
var knownTable string

// knownRace is one block of known.txt.
type knownRace struct {
	name, module, before, after string
	packages                    []string
	class, write, other         *regexp.Regexp
	bare                        bool // the other access holds no lock of its function
}

// readKnown parses the table.
func readKnown(text string) ([]*knownRace, error) {
	var out []*knownRace
	var r *knownRace
	for n, line := range strings.Split(text, "\n") {
		key, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		if line == "" || key == "#" {
			continue
		}
		if key == "race" {
			r = &knownRace{name: rest}
			out = append(out, r)
			continue
		}
		if r == nil {
			return nil, fmt.Errorf("known.txt:%d: %s before the first race", n+1, key)
		}
		var err error
		switch key {
		case "module":
			f := strings.Fields(rest)
			if len(f) != 3 {
				return nil, fmt.Errorf("known.txt:%d: a module and two versions are wanted", n+1)
			}
			r.module, r.before, r.after = f[0], f[1], f[2]
		case "packages":
			r.packages = strings.Fields(rest)
		case "class":
			r.class, err = regexp.Compile(rest)
		case "write":
			r.write, err = regexp.Compile(rest)
		case "other":
			r.other, err = regexp.Compile(rest)
		case "bare":
			r.bare = rest == "other"
		default:
			err = fmt.Errorf("unknown key %s", key)
		}
		if err != nil {
			return nil, fmt.Errorf("known.txt:%d: %w", n+1, err)
		}
	}
	return out, nil
}

// matches reports whether the warning is the race.
func (r *knownRace) matches(w *static.Warning) bool {
	of := func(a *summary.Access) bool {
		return r.class.MatchString(a.Loc.Class()) || a.At != nil && r.class.MatchString(a.At.Class())
	}
	if !of(w.A) && !of(w.B) {
		return false
	}
	fits := func(a, b *summary.Access) bool {
		return a.Kind.Writes() && r.write.MatchString(a.Func) && r.other.MatchString(b.Func) && (!r.bare || len(b.Locks.Plus) == 0)
	}
	return fits(w.A, w.B) || fits(w.B, w.A)
}

// analysis is the result for one version of one module, shared by the races in it.
type analysis struct {
	res  *static.Result
	cost float64 // seconds of processors
	err  error
}

// verdict is the best matching warning of one version.
type verdict struct {
	best   *static.Warning
	likely int // warnings of the default tier in all
}

func (v verdict) String() string {
	if v.best == nil {
		return "none"
	}
	if len(v.best.Codes) == 0 {
		return string(v.best.Tier)
	}
	return fmt.Sprintf("%s %v", v.best.Tier, v.best.Codes)
}

// Main looks for each race of the table in the version that has it and in the version that does
// not.
func Main(args []string) int {
	flags := command.Flags("static known", "[-whole] [-only name] [-dir scratch] [-v] [-check-list] [-half name]")
	dir := command.Dir(flags)
	whole := flags.Bool("whole", false, "analyse all packages of the module")
	only := flags.String("only", "", "only races whose name contains this")
	verbose := flags.Bool("v", false, "print every warning that is a race of the table")
	list := flags.Bool("check-list", false, "compare frozen.txt with the files of its modules")
	half := flags.String("half", "", "look for the races of this half of frozen.txt, seen or unseen")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	if *list {
		return checkList()
	}
	scratch, err := session.Scratch(*dir)
	command.Check(err)
	if *dir == "" {
		defer os.RemoveAll(scratch)
	}
	switch *half {
	case "":
	case "seen", "unseen":
		measureHalf(*half, *only, scratch, figures)
		return 0
	default:
		return command.Usage(flags)
	}
	races, err := readKnown(knownTable)
	command.Check(err)
	done, module := map[string]*analysis{}, ""
	var rows, before, gone int
	lost := map[string]int{}
	for _, r := range races {
		if !strings.Contains(r.name, *only) {
			continue
		}
		rows++
		if r.module != module { // whole modules are large
			clear(done)
			module = r.module
		}
		if *whole {
			r.packages = []string{r.module + "/..."}
		}
		found, err := r.look(done, scratch, *verbose)
		command.Check(err)
		shown := found[0].best != nil && found[0].best.Tier == tier.Likely
		if shown {
			before++
		} else if b := found[0].best; b != nil {
			for _, c := range b.Codes {
				lost[c]++
			}
		} else {
			lost["no warning"]++
		}
		if found[1].best == nil || found[1].best.Tier != tier.Likely {
			gone++
		}
	}
	fmt.Printf("likely before the fix %d of %d, not likely after it %d of %d\n", before, rows, gone, rows)
	for _, c := range append(codes(), "no warning") {
		if lost[c] > 0 {
			fmt.Printf("  %-18s takes %d of %d\n", c, lost[c], rows)
		}
	}
	figures.Print("all", command.Count(rows, "races"), command.Count(before, "likely-before"), command.Count(gone, "gone-after"))
	return 0
}

// look analyses both versions and prints the line of a race.
func (r *knownRace) look(done map[string]*analysis, scratch string, verbose bool) (found [2]verdict, err error) {
	var cost [2]float64
	for i, version := range []string{r.before, r.after} {
		key := r.module + "@" + version + " " + strings.Join(r.packages, " ")
		if done[key] == nil {
			done[key] = analyseModule(scratch, r.module, version, r.packages, "")
		}
		a := done[key]
		if a.err != nil {
			return found, fmt.Errorf("%s %s: %w", r.name, version, a.err)
		}
		cost[i] = a.cost
		found[i] = r.judge(a.res, verbose)
	}
	fmt.Printf("%-42s %-40v of %3d %5.1f s; after: %-40v of %3d %5.1f s\n", r.name, found[0], found[0].likely, cost[0], found[1], found[1].likely, cost[1])
	return found, nil
}

func codes() []string {
	var out []string
	for _, r := range tier.Reasons {
		out = append(out, r.Code)
	}
	return out
}

// judge finds the best warning that is the race.
func (r *knownRace) judge(res *static.Result, verbose bool) (v verdict) {
	for _, w := range res.Warnings {
		if w.Tier == tier.Likely {
			v.likely++
		}
	}
	for _, w := range res.Pairs {
		if !r.matches(w) {
			continue
		}
		if verbose {
			fmt.Printf("    %v %v %s, %v %v %s, %s %v roots %s %s\n", site(res, w.A), w.A.Kind, w.A.Func, site(res, w.B), w.B.Kind, w.B.Func, w.Tier, w.Codes, w.RootA, w.RootB)
		}
		if v.best == nil || w.Tier != v.best.Tier && !tier.Shows(w.Tier, v.best.Tier) {
			v.best = w
		}
	}
	return v
}

// analyseModule analyses packages of one version of a module, in a module that requires it. Its
// summaries are in the directory store, unless that is "".
func analyseModule(scratch, module, version string, packages []string, store string) *analysis {
	a := &analysis{}
	dir := filepath.Join(scratch, strings.NewReplacer("/", "_").Replace(module)+"@"+version)
	if a.err = os.MkdirAll(dir, 0o777); a.err != nil {
		return a
	}
	mod := fmt.Sprintf("module known\n\ngo 1.25\n\nrequire %s %s\n", module, version)
	if a.err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); a.err != nil {
		return a
	}
	env := append(slices.Clip(os.Environ()), "GOFLAGS=-mod=mod", "GOWORK=off")
	cmd := exec.Command("go", append([]string{"list", "-deps"}, packages...)...)
	cmd.Dir, cmd.Env = dir, append(slices.Clip(env), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		a.err = fmt.Errorf("go list: %w\n%s", err, out)
		return a
	}
	begin := session.CPU()
	a.res, a.err = static.Run(context.Background(), static.Config{Config: load.Config{Dir: dir, Env: env, Patterns: packages}, Store: store})
	a.cost = session.CPU() - begin
	return a
}

func site(res *static.Result, a *summary.Access) string {
	p := res.Position(a.Pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}
