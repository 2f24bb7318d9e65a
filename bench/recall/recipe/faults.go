package recipe

import (
	"context"
	_ "embed"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/seeded"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// faultsText lists the seeded faults: a program, a module (- is the program's own), an operator and
// an object of package seeded. Flag -list makes it.
//
//go:embed faults.txt
var faultsText string

// fault is a program without the synchronisation of one object.
type fault struct {
	program, module, operator, object string

	shown              bool // a detector of one pass has a candidate that the original has not
	raced              bool // Go's race detector has reported a race that the original has not
	found, confirmed   bool // presage has
	seconds            float64
	why                string // it could not be run
	candidates, report []string
}

func (f *fault) String() string {
	return fmt.Sprintf("%s %s %s %s", f.program, f.module, f.operator, f.object)
}

// faultsOf are the faults of a program.
func faultsOf(name string) (all []*fault) {
	for line := range strings.Lines(faultsText) {
		w := strings.Fields(line)
		if len(w) == 4 && w[0] == name {
			all = append(all, &fault{program: w[0], module: w[1], operator: w[2], object: w[3]})
		}
	}
	return all
}

// mostFaults is the number of faults of one operator in one program, mostOfModule in one of its
// modules.
const mostFaults, mostOfModule = 5, 2

// listFaults prints the faults of a program by the rule: of the objects that package seeded can
// take the synchronisation from, those whose operations two goroutines execute in the recorded
// run; of these the first few of each operator by a hash of their names.
func listFaults(ctx context.Context, s *session.Session, p *program) error {
	t, err := newTree(ctx, s, p)
	if err != nil {
		return err
	}
	file := filepath.Join(s.Dir, p.name+".small.trace")
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	if _, _, err := runPresage(ctx, s, t.modules[""], p.args([]string{"-level", "none", "-o", file}, p.small)...); err != nil {
		return err
	}
	lines, err := goroutinesByLine(file)
	if err != nil {
		return err
	}
	for _, m := range append([]string{""}, p.modules...) {
		patterns := "./..."
		if m == "" {
			patterns = "./" + p.name
		}
		all, err := seeded.Find(ctx, t.modules[m], nil, patterns)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(x *seeded.Seed) bool { return x.Kept != "" || !executed(x, t.modules[m], lines) })
		slices.SortStableFunc(all, func(x, y *seeded.Seed) int { return int(hash(x.Name)) - int(hash(y.Name)) })
		for _, op := range seeded.Operators {
			n, name, most := 0, m, mostOfModule
			if m == "" {
				name, most = "-", mostFaults
			}
			for _, x := range all {
				if x.Operator == op && n < most {
					fmt.Println(p.name, name, op, x.Name)
					n++
				}
			}
		}
	}
	return nil
}

func hash(name string) uint16 {
	h := fnv.New32a()
	io.WriteString(h, name)
	return uint16(h.Sum32())
}

// at is a line of a source file.
type at struct {
	file string
	line int
}

// goroutinesByLine are the goroutines that made an event at each line.
func goroutinesByLine(file string) (map[at]map[trace.GoID]bool, error) {
	s, err := source.Open(file)
	if err != nil {
		return nil, err
	}
	meta := s.Meta()
	lines := make(map[at]map[trace.GoID]bool)
	bySite := make([]map[trace.GoID]bool, len(meta.Sites))
	for i := range meta.Sites {
		x := &meta.Sites[i]
		if x.File < 0 || int(x.File) >= len(meta.Files) {
			continue
		}
		k := at{meta.Files[x.File].Name, int(x.Line)}
		if lines[k] == nil {
			lines[k] = make(map[trace.GoID]bool)
		}
		bySite[i] = lines[k]
	}
	var e trace.Event
	for {
		if err := s.Next(&e); err == io.EOF {
			return lines, s.Close()
		} else if err != nil {
			return nil, closing(s, err)
		}
		if int(e.Site) < len(bySite) && bySite[e.Site] != nil && len(bySite[e.Site]) < 2 {
			bySite[e.Site][e.G] = true
		}
	}
}

// executed reports whether two goroutines execute operations of an object.
func executed(x *seeded.Seed, dir string, lines map[at]map[trace.GoID]bool) bool {
	gs := make(map[trace.GoID]bool)
	for k, set := range lines {
		rel := k.file
		if filepath.IsAbs(rel) {
			var err error
			if rel, err = filepath.Rel(dir, rel); err != nil {
				continue
			}
		}
		if x.At(rel, k.line) {
			for g := range set {
				gs[g] = true
			}
		}
	}
	return len(gs) > 1
}

// known are the races of the original, by tool.
type known struct{ candidates, race, report map[string]bool }

// runFaults runs a program with each of its faults.
func runFaults(ctx context.Context, s *session.Session, p *program, confirm string, races int) ([]*fault, error) {
	t, err := newTree(ctx, s, p)
	if err != nil {
		return nil, err
	}
	original := &fault{program: p.name}
	k := &known{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for range 2 { // the original's own races come in some runs only
		if err := original.run(ctx, s, p, t, "off", races, k, true); err != nil {
			return nil, fmt.Errorf("the original: %w", err)
		}
	}
	all := faultsOf(p.name)
	for _, f := range all {
		if err := f.seed(ctx, p, t); err != nil {
			return nil, fmt.Errorf("%v: %w", f, err)
		}
		err := f.run(ctx, s, p, t, confirm, races, k, false)
		if rerr := t.restore(f.place()); rerr != nil {
			return nil, rerr
		}
		if err != nil {
			f.why = err.Error()
		}
		f.print()
	}
	return all, nil
}

func (f *fault) place() string {
	if f.module == "-" {
		return ""
	}
	return f.module
}

// seed removes the synchronisation of the object.
func (f *fault) seed(ctx context.Context, p *program, t *tree) error {
	dir, pattern := t.modules[f.place()], "./..."
	if f.place() == "" {
		pattern = "./" + p.name
	}
	all, err := seeded.Find(ctx, dir, nil, pattern)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(x *seeded.Seed) bool { return string(x.Operator) == f.operator && x.Name == f.object })
	if i < 0 {
		return fmt.Errorf("the module has no such object")
	}
	return all[i].Drop(dir)
}

// run records a program with a fault, and compares its races with those of the original; of the
// original itself it notes them.
func (f *fault) run(ctx context.Context, s *session.Session, p *program, t *tree, confirm string, races int, k *known, note bool) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	dir := t.modules[""]
	file := filepath.Join(s.Dir, p.name+".fault.trace")
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	o, seconds, err := runPresage(ctx, s, dir, p.args([]string{"-confirm=" + confirm, "-o", file}, p.small)...)
	if err != nil {
		return err
	}
	f.seconds = seconds
	take := func(set map[string]bool, key string) bool {
		if note {
			set[key] = true
		}
		return !set[key]
	}
	for _, x := range o.Races {
		if key := pairOf(&x.A, &x.B); take(k.report, key) && !k.race[key] {
			f.found, f.confirmed = true, f.confirmed || x.Tier == report.Confirmed
			f.report = append(f.report, fmt.Sprintf("%s %s on %s", x.Tier, key, x.Name()))
		}
	}
	c, _, err := runPresage(ctx, s, dir, "analyze", "-trust", "-q", "-json", "-engine", "hybrid", file)
	if err != nil {
		return err
	}
	for _, x := range c.Candidates {
		if key := pairOf(&x.A, &x.B); take(k.candidates, key) {
			f.shown = true
			f.candidates = append(f.candidates, key+" on "+x.Name())
		}
	}
	return f.race(ctx, p, t, races, take, k)
}

var topFrame = regexp.MustCompile(`(?m)^(?:Previous |)(?i:atomic |)(?i:read|write) at .*\n(?:  .*\n)      (.+):(\d+) \+0x`)

// race runs the program with -race.
func (f *fault) race(ctx context.Context, p *program, t *tree, n int, take func(map[string]bool, string) bool, k *known) error {
	name := filepath.Join(t.dir, p.name+".race")
	cmd := exec.CommandContext(ctx, "go", "build", "-race", "-o", name, "./"+p.name)
	cmd.Dir = t.modules[""]
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	for range n {
		limit, cancel := context.WithTimeout(ctx, 2*time.Minute)
		cmd := exec.CommandContext(limit, name, p.small...)
		cmd.Dir = t.modules[""]
		text, _ := cmd.CombinedOutput() // the race detector's exit code is 66
		cancel()
		for _, one := range strings.Split(string(text), "==================\n") {
			if m := topFrame.FindAllStringSubmatch(one, 2); len(m) == 2 {
				key := pair(filepath.Base(m[0][1])+":"+m[0][2], filepath.Base(m[1][1])+":"+m[1][2])
				f.raced = take(k.race, key) && !k.report[key] || f.raced
			}
		}
	}
	return nil
}

func (f *fault) print() {
	fmt.Printf("  %v: shown %v, -race %v, found %v, confirmed %v, %.0f s %s\n", f, f.shown, f.raced, f.found, f.confirmed, f.seconds, f.why)
	if !f.found {
		for _, c := range f.candidates[:min(3, len(f.candidates))] {
			fmt.Println("    candidate", c)
		}
	}
	for _, r := range f.report[:min(2, len(f.report))] {
		fmt.Println("   ", r)
	}
}

// printFaults prints a table of the faults by operator.
func printFaults(w io.Writer, all []*fault) {
	fmt.Fprintln(w, "| operator | faults | one run can show | found | confirmed | -race |\n|---|---|---|---|---|---|")
	for _, op := range seeded.Operators {
		var n, shown, found, confirmed, raced int
		for _, f := range all {
			if f.operator != string(op) {
				continue
			}
			n++
			for _, c := range []struct {
				is bool
				n  *int
			}{{f.shown || f.found || f.raced, &shown}, {f.found, &found}, {f.confirmed, &confirmed}, {f.raced, &raced}} {
				if c.is {
					*c.n++
				}
			}
		}
		if n > 0 {
			fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d |\n", op, n, shown, found, confirmed, raced)
		}
	}
}
