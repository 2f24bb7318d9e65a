package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Kept is a schedule that needs no trace: of the program it says what is run and which gates of
// which functions the steps pass. How it is written: the doc of kept_text.go. How it is found again
// in a program that has changed: fit.go.
type Kept struct {
	ID, Object string
	GoVersion  string
	Command

	seed     uint64 // of random numbers
	child    uint64 // hash of the arguments of the process, if it is a child process
	nth      int    // and which of those
	apart    bool   // the accesses need not be next to each other
	sources  []source
	tree     string   // hash of all Go source below the root
	accesses []access // how many there were like the two of the race
	opaque   []string // functions that were left as written, although they could have gates
	funcs    []outline
	places   []keptPlace
	who      []keptGoroutine
	steps    []keptStep
	stops    []keptStep
	feeds    []keptFeed // those of a goroutine one after the other
}

// Command is how a program is run, with names that are relative to the root of its module.
type Command struct {
	Test    bool
	Package string   // the package that is tested, or what is run
	Dir     string   // of the command
	Build   []string // flags of the go command: -tags and the like
	Flags   []string // of the test
	Args    []string
}

// source is a file with functions that the schedule goes through.
type source struct{ file, hash string }

// keptGoroutine is a goroutine of a kept schedule. Its number is its place.
type keptGoroutine struct {
	parent  int    // number; 0: the runtime starts it, −1: it is the first
	gate    int    // of the go statement that starts it; 0: code without gates does
	name    string // its function, where there is no go statement
	ordinal int    // of those that the parent starts there
	number  uint64 // the runtime's, in the recorded run
}

// keptStep is a step, with gates and goroutines by their numbers.
type keptStep struct {
	who    int
	gate   int
	kind   format.Kind
	object int // steps on one object conflict
	skip   uint64
	nth    uint64 // of an access of the race: passages of its gate before
	flags  uint8
	choice uint64 // of a select (step.choice)
}

// keptPlace is where outside code makes an access: a gate that no function of the schedule has
// (RP6).
type keptPlace struct {
	number int
	outsidePlace
	text string // the line
}

// place is the place with the number of a gate, nil if there is none.
func (k *Kept) place(n int) *outsidePlace {
	for i := range k.places {
		if k.places[i].number == n {
			return &k.places[i].outsidePlace
		}
	}
	return nil
}

// keptFeed is a result of a call in the recorded run.
type keptFeed struct {
	who, gate, n int
	value        uint64
}

// Keep makes of the schedule of a race those that need no trace, the best one first: of the one
// test that makes both accesses, if there is such, and of the whole run. p is the recorded program,
// root the directory of its main module.
func Keep(r Race, p *plan.Plan, root string, c Command) ([]*Kept, error) {
	s, err := newSchedule(r.Witness, r.Meta, r.Open)
	if err != nil {
		return nil, err
	}
	if err := s.feed(sitesOf(p).fedTo(&r.Witness), r.Meta, r.Paths, r.Open); err != nil {
		return nil, err
	}
	var out []*Kept
	if c.Test {
		c.Package = strings.TrimSuffix(s.pkg, "_test")
		one, test, err := alone(s, r.Meta, r.Open)
		if err != nil {
			return nil, err
		}
		if one != nil {
			k, err := keepSchedule(one, r, p, root, c.only(test))
			if err != nil {
				return nil, err
			}
			out = append(out, k)
		}
	}
	k, err := keepSchedule(s, r, p, root, c)
	if err != nil {
		return nil, err
	}
	return append(out, k), nil
}

// only is the command for one test.
func (c Command) only(test string) Command {
	named := func(f string, names ...string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(f, "-"), "test."), "=")
		return slices.Contains(names, name)
	}
	if slices.ContainsFunc(c.Flags, func(f string) bool { return named(f, "run") && strings.Contains(f, "/") }) {
		return c // of some of its subtests
	}
	c.Flags = append(slices.DeleteFunc(slices.Clone(c.Flags), func(f string) bool { return named(f, "run", "shuffle") }), "-run=^"+test+"$")
	return c
}

func keepSchedule(s *schedule, r Race, p *plan.Plan, root string, c Command) (*Kept, error) {
	k := &keeper{plan: p, root: root, s: s, meta: r.Meta, all: outlines(p, below(root)), numbers: map[trace.Site]int{}, objects: map[trace.Addr]int{}}
	k.kept = &Kept{ID: r.ID, GoVersion: r.Meta.GoVersion, Command: c, apart: s.apart, seed: s.process.Seed}
	if s.process.Child {
		k.kept.child, k.kept.nth = s.process.Args, s.process.Nth
	}
	if err := k.keep(); err != nil {
		return nil, err
	}
	return k.kept, nil
}

// below names files by their place below a directory.
func below(root string) func(string) string {
	return func(file string) string {
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return file
		}
		return filepath.ToSlash(rel)
	}
}

type keeper struct {
	plan    *plan.Plan
	root    string
	s       *schedule
	meta    *trace.Meta
	all     []outline
	kept    *Kept
	numbers map[trace.Site]int // of gates
	objects map[trace.Addr]int
}

func (k *keeper) keep() error {
	var used []trace.Site
	for _, list := range [][]step{k.s.steps, k.s.stops} {
		for i := range list {
			if list[i].place == nil {
				used = append(used, list[i].site)
			}
		}
	}
	for _, g := range k.s.gates {
		if site := k.goStatement(g); site != 0 {
			used = append(used, site)
		}
	}
	for _, f := range k.s.feeds {
		used = append(used, f.site)
	}
	if err := k.functions(used); err != nil {
		return err
	}
	for _, i := range []int{k.s.steps[len(k.s.steps)-1].pair, len(k.s.steps) - 1} {
		if st := &k.s.steps[i]; st.place == nil {
			k.access(st.site)
		}
	}
	for _, g := range k.s.gates {
		k.goroutine(g)
	}
	for i := range k.s.steps {
		k.kept.steps = append(k.kept.steps, k.step(&k.s.steps[i]))
	}
	for _, p := range k.kept.places {
		if p.text == "" {
			return fmt.Errorf("the source of %s, where an access of the race is made, cannot be read: the schedule cannot be kept", p.String())
		}
	}
	for i := range k.s.stops {
		k.kept.stops = append(k.kept.stops, k.step(&k.s.stops[i]))
	}
	for _, f := range k.s.feeds {
		k.kept.feeds = append(k.kept.feeds, keptFeed{f.gate + 1, k.numbers[f.site], f.n, f.value})
	}
	return k.leftAsWritten()
}

// functions keeps the outlines of the functions that have used gates, and numbers these.
func (k *keeper) functions(used []trace.Site) error {
	slices.Sort(used)
	hashes := map[string]bool{}
	for _, site := range slices.Compact(used) {
		id := k.plan.Sites[site].Func
		f := &k.all[id]
		if strings.HasPrefix(f.file, "..") || filepath.IsAbs(f.file) {
			return fmt.Errorf("the schedule goes through %s of %s, which is not in the main module: it cannot be kept", f.name, f.pkg)
		}
		i := slices.IndexFunc(f.gates, func(g outlined) bool { return g.site == site })
		if i < 0 {
			return fmt.Errorf("site %d in %s has no gate: a mistake of presage, please report it", site, f.name)
		}
		if n := len(k.kept.funcs); n == 0 || k.kept.funcs[n-1].name != f.name {
			k.kept.funcs = append(k.kept.funcs, *f) // they share their gates
		}
		if !hashes[f.file] {
			hashes[f.file] = true
			sum, err := hashOf(filepath.Join(k.root, filepath.FromSlash(f.file)))
			if err != nil {
				return err
			}
			k.kept.sources = append(k.kept.sources, source{f.file, sum})
		}
		k.numbers[site] = len(k.numbers) + 1
		f.gates[i].number = len(k.numbers)
	}
	slices.SortFunc(k.kept.sources, func(a, b source) int { return strings.Compare(a.file, b.file) })
	var err error
	k.kept.tree, err = treeHash(k.root)
	return err
}

// treeHash is the hash of the Go files below a directory, and of the files that say which modules
// there are.
func treeHash(root string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")):
			return fs.SkipDir
		case !d.Type().IsRegular() || filepath.Ext(name) != ".go" && !slices.Contains(moduleFiles, d.Name()):
			return nil
		}
		sum, err := hashOf(name)
		fmt.Fprintln(h, below(root)(name), sum)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8]), err
}

var moduleFiles = []string{"go.mod", "go.sum", "go.work"}

func hashOf(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.ReplaceAll(string(data), "\r\n", "\n")))
	return hex.EncodeToString(sum[:8]), nil
}

// access counts those that are like one of the race.
func (k *keeper) access(site trace.Site) {
	fn, g := k.kept.gate(k.numbers[site])
	if k.kept.count(fn.pkg, g) == 0 {
		k.kept.accesses = append(k.kept.accesses, access{fn.pkg, g.kind, g.object, countOf(k.all, fn.pkg, g)})
	}
}

// goStatement is the site at which a goroutine is started, 0 if that is not in the program's code.
func (k *keeper) goStatement(g gate) trace.Site {
	switch {
	case g.parent == 0 || g.parent == ^uint64(0):
		return 0
	case int(g.g) >= len(k.meta.Goroutines): // a path starts it
		return trace.Site(g.key)
	}
	return k.meta.Goroutines[g.g].Site
}

func (k *keeper) goroutine(g gate) {
	out := keptGoroutine{parent: int(g.parent), ordinal: int(g.ordinal), number: g.number}
	if int(g.g) < len(k.meta.Goroutines) {
		out.name = k.meta.Goroutines[g.g].Func
	}
	switch g.parent {
	case ^uint64(0):
		out = keptGoroutine{parent: -1, number: g.number}
	case 0:
		out.ordinal = 0
	default:
		if out.gate = k.numbers[k.goStatement(g)]; out.gate != 0 {
			out.name = ""
		}
	}
	k.kept.who = append(k.kept.who, out)
}

func (k *keeper) step(st *step) keptStep {
	obj := st.obj
	if st.kind.IsAccess() {
		obj &^= 7
	}
	n, ok := k.objects[obj]
	if !ok {
		n = len(k.objects) + 1
		k.objects[obj] = n
	}
	out := keptStep{who: st.gate + 1, gate: k.gateOf(st), kind: st.kind, object: n, skip: st.skip, flags: st.flags, choice: st.choice}
	if st.flags&held != 0 {
		out.nth = st.nth
	}
	return out
}

// gateOf is the number of a step's gate.
func (k *keeper) gateOf(st *step) int {
	if st.place == nil {
		return k.numbers[st.site]
	}
	at, text := *st.place, lineReader{}.line(st.place.file, st.place.line)
	at.file = filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(at.file)), filepath.Base(at.file)))
	for _, p := range k.kept.places {
		if p.outsidePlace == at {
			return p.number
		}
	}
	n := len(k.numbers) + len(k.kept.places) + 1
	k.kept.places = append(k.kept.places, keptPlace{n, at, text})
	return n
}

// leftAsWritten keeps the names of functions that the compiler did not take with hooks.
func (k *keeper) leftAsWritten() error {
	if k.kept.Test && k.kept.Package == "" {
		return errors.New("no test function ran in the recorded process")
	}
	fresh := plan.New(k.plan.Program, nil)
	for i, u := range k.plan.Units {
		if u.Opaque != "" && fresh.Units[i].Opaque == "" && slices.ContainsFunc(k.kept.funcs, func(f outline) bool { return f.pkg == u.Pkg.PkgPath }) {
			k.kept.opaque = append(k.kept.opaque, u.Key)
		}
	}
	return nil
}
