package predict

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/source"
)

// TestRDITPrograms holds Go programs with packages that are left out against what RDIT's thesis
// derives: its figures and caveats, and calls of every form. A file of testdata/rdit/programs is a
// package of that name, with a function Run, and its folder lib, which is left out of the trace.
// All are built as one program, and each is recorded in a process of its own; those whose lib has
// variables are programs of their own, because these are in the Ds of all. At the end of a line, a
// comment "// @name" names what is in the line: an access, or an excluded call, of
// which name.begin and name.end are the ends.
//
// Section order is the order of (some) named events in which the program is to have run: if the
// machine was too slow for its pauses, it is recorded again. There name.start is when the goroutine
// of a go statement begins, and finalizers when that of finalizers or cleanups does, behind all
// that was before. Section want is that of TestRDIT, with the races of level path and without the
// numbers of what is not named. With -update, want is what the analysis says.
func TestRDITPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: records programs")
	}
	files, err := filepath.Glob("testdata/rdit/programs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	t.Setenv("PRESAGE_CACHE", t.TempDir())
	var together []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, lib, _ := strings.Cut(string(data), "-- lib/lib.go --"); strings.Contains(lib, "\nvar ") {
			newModule(t, []string{file}).run(t)
		} else {
			together = append(together, file)
		}
	}
	newModule(t, together).run(t)
}

func (m *rditModule) run(t *testing.T) {
	for range rditTries {
		m.record()
		if len(m.left) == 0 {
			break
		}
	}
	for _, p := range m.programs {
		t.Run(p.name, func(t *testing.T) { p.compare(t) })
	}
}

// rditTries is how often programs are recorded that did not run in the order wanted.
const rditTries = 24

// rditModule is all programs, as one module.
type rditModule struct {
	t        *testing.T
	dir      string
	programs []*rditProgram
	left     []*rditProgram // to record
}

// rditProgram is one of them.
type rditProgram struct {
	name, file string
	archive    *txtar.Archive
	names      map[string]map[int32]string // of lines, by file
	seen, got  string                      // the last order, and what the analysis says
}

func newModule(t *testing.T, files []string) *rditModule {
	m := &rditModule{t: t, dir: t.TempDir()}
	imports, list := "", ""
	for _, file := range files {
		p := &rditProgram{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), file: file, names: map[string]map[int32]string{}}
		var err error
		if p.archive, err = txtar.ParseFile(file); err != nil {
			t.Fatal(err)
		}
		for _, f := range p.archive.Files {
			if strings.HasSuffix(f.Name, ".go") {
				p.names[filepath.Join(m.dir, p.name, f.Name)] = namesOf(string(f.Data))
				m.write(filepath.Join(p.name, f.Name), string(f.Data))
			}
		}
		imports += fmt.Sprintf("p_%s %q\n", p.name, "rdit/"+p.name)
		list += fmt.Sprintf("%q: p_%s.Run,\n", p.name, p.name)
		m.programs = append(m.programs, p)
	}
	m.write("go.mod", "module rdit\n\ngo 1.26\n")
	m.write("main.go", "package main\n\nimport (\n\"os\"\n\"os/exec\"\n"+imports+")\n\nvar programs = map[string]func(){\n"+list+`}

func main() {
	if name := os.Getenv("RDIT_PROGRAM"); name != "" {
		programs[name]()
		return
	}
	for _, name := range os.Args[1:] {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "RDIT_PROGRAM="+name)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			panic(name + ": " + err.Error())
		}
	}
}
`)
	m.left = m.programs
	return m
}

func (m *rditModule) write(name, text string) {
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

var nameComment = regexp.MustCompile(`// @(\S+)$`)

// namesOf returns the names of lines.
func namesOf(text string) map[int32]string {
	names := map[int32]string{}
	for i, line := range strings.Split(text, "\n") {
		if x := nameComment.FindStringSubmatch(line); x != nil {
			names[int32(i+1)] = x[1]
		}
	}
	return names
}

// record records the programs that are left, and analyses those that ran as wanted.
func (m *rditModule) record() {
	var args []string
	for _, p := range m.left {
		args = append(args, p.name)
	}
	var out strings.Builder
	res, err := record.Run(context.Background(), record.Config{Dir: m.dir, Flags: []string{"-C", m.dir}, Packages: []string{"."}, Args: args, Exclude: []string{"./.../lib"}, Reach: record.ReachKept, Stdout: &out, Stderr: &out})
	if err != nil || res.ExitCode != 0 || res.NotBuilt || res.Opaque > 0 {
		m.t.Fatalf("recording: %v, %+v\n%s", err, res, &out)
	}
	plan, err := res.Plan(context.Background())
	if err != nil {
		m.t.Fatal(err)
	}
	for _, name := range res.Traces {
		events, meta := readTrace(m.t, name)
		for _, p := range m.left {
			if order := p.order(events, meta); strings.Contains(order, p.wanted("order")) && order != "" {
				walker := walk.NewBranching(plan)
				walker.Read(meta)
				p.got = p.text(m.t, events, meta, Options{Walker: walker})
			} else if order != "" {
				p.seen = order
			}
		}
	}
	m.left = slices.DeleteFunc(slices.Clone(m.left), func(p *rditProgram) bool { return p.got != "" })
}

func readTrace(t *testing.T, name string) (events []trace.Event, meta *trace.Meta) {
	s, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var e trace.Event
	for err = s.Next(&e); err == nil; err = s.Next(&e) {
		events = append(events, e)
	}
	return events, s.Meta()
}

func (p *rditProgram) wanted(section string) string {
	for _, f := range p.archive.Files {
		if f.Name == section {
			return strings.TrimSpace(string(f.Data))
		}
	}
	return ""
}

// at returns the name of a site.
func (p *rditProgram) at(meta *trace.Meta, s trace.Site) string {
	if i := meta.SiteInfo(s); i.File >= 0 && int(i.File) < len(meta.Files) {
		return p.names[meta.Files[i.File].Name][i.Line]
	}
	return ""
}

// event returns the name of an event.
func (p *rditProgram) event(meta *trace.Meta, e *trace.Event) string {
	name := p.at(meta, e.Site)
	switch {
	case name == "":
	case e.Kind == format.MethodBegin:
		return name + ".begin"
	case e.Kind == format.MethodEnd:
		return name + ".end"
	case e.Kind.IsAccess() && e.Flags&format.FlagStack == 0:
		return name
	}
	return ""
}

// order lists the named events of a trace, of those that the order wanted has, once where they are
// repeated.
func (p *rditProgram) order(events []trace.Event, meta *trace.Meta) string {
	wanted := strings.Fields(p.wanted("order"))
	started := map[trace.GoID]string{}
	var list []string
	for i := range events {
		e := &events[i]
		name := p.event(meta, e)
		switch {
		case e.Kind == format.Go:
			started[trace.GoID(e.Obj)] = p.at(meta, e.Site) + ".start"
		case e.Kind == format.Start:
			name = started[e.G]
		case e.Kind == format.Acquire && e.Obj == 0:
			name = "finalizers"
		}
		if slices.Contains(wanted, name) {
			list = append(list, name)
		}
	}
	return strings.Join(slices.Compact(list), " ")
}

// text says what the analyses say of a trace.
func (p *rditProgram) text(t *testing.T, events []trace.Event, meta *trace.Meta, opt Options) string {
	found := map[string]bool{}
	say := func(what, e, f string) {
		if e != "" && f != "" {
			found[what+" "+e+" "+f] = true
		}
	}
	for _, e := range p.edges(t, events, meta) {
		say("edge", p.event(meta, &events[e.From]), p.event(meta, &events[e.To]))
	}
	for name, mode := range map[string]excluded.Mode{"rdit": excluded.Reachable, "barrier": excluded.Everything, "ignore": excluded.Ignore} {
		opt.Excluded = mode
		res := runEvents(t, events, meta, opt)
		for _, x := range res.Races {
			if p.at(meta, x.A.Site) == "" || p.at(meta, x.B.Site) == "" {
				t.Errorf("%s: %s finds a race between %s and %s, which have no name", p.name, name, meta.Position(x.A.Site), meta.Position(x.B.Site))
			}
			say(name, p.at(meta, x.A.Site), p.at(meta, x.B.Site))
		}
		if mode == excluded.Reachable {
			if err := Confirm(opener(events, meta), meta, res); err != nil {
				t.Fatal(err)
			}
			for _, x := range res.Races {
				if x.Recorded {
					say("recorded", p.at(meta, x.A.Site), p.at(meta, x.B.Site))
				}
			}
		}
	}
	few := p.few(events, meta)
	for _, x := range unordered(few) {
		say("hb", p.at(meta, x[0]), p.at(meta, x[1]))
	}
	for _, x := range tracetest.CausallyPrecedes(few) {
		say("cp", p.at(meta, x[0]), p.at(meta, x[1]))
	}
	for _, x := range tracetest.WeaklyCausallyPrecedes(few) {
		say("wcp", p.at(meta, x[0]), p.at(meta, x[1]))
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
}

// edges returns the precedences between named events of different goroutines, without those that
// follow from others and from program order.
func (p *rditProgram) edges(t *testing.T, events []trace.Event, meta *trace.Meta) (list []excluded.Edge) {
	all, err := excluded.Edges(events, excluded.Reachable)
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	before := make([][]bool, len(events)) // of each event, which come before it
	last := map[trace.GoID]int{}
	for i := range events {
		before[i] = make([]bool, len(events))
		add := func(k int) {
			before[i][k] = true
			for n, yes := range before[k] {
				before[i][n] = before[i][n] || yes
			}
		}
		if k, ok := last[events[i].G]; ok {
			add(k)
		}
		last[events[i].G] = i
		for _, e := range all {
			if int(e.To) == i {
				add(int(e.From))
			}
		}
	}
	var named []int
	for i := range events {
		if p.event(meta, &events[i]) != "" {
			named = append(named, i)
		}
	}
	for _, f := range named {
		for _, e := range named {
			between := func(m int) bool { return before[m][e] && before[f][m] }
			if before[f][e] && events[e].G != events[f].G && !slices.ContainsFunc(named, between) {
				list = append(list, excluded.Edge{From: int64(e), To: int64(f)})
			}
		}
	}
	return list
}

// few leaves the accesses that have a name, and synchronisation: of the others no definition of a
// baseline asks.
func (p *rditProgram) few(events []trace.Event, meta *trace.Meta) (list []trace.Event) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case format.Read, format.Write:
			if p.event(meta, e) != "" {
				list = append(list, *e)
			}
		case format.Alloc, format.MethodBegin, format.MethodEnd, format.Reach, format.ReachSet:
		default:
			if !e.Kind.IsControl() {
				list = append(list, *e)
			}
		}
	}
	return list
}

// compare holds what was said against what is wanted.
func (p *rditProgram) compare(t *testing.T) {
	if p.got == "" {
		t.Fatalf("recorded %d times, it never ran in the order %q; the last time in %q", rditTries, p.wanted("order"), p.seen)
	}
	if *update {
		for i := range p.archive.Files {
			if p.archive.Files[i].Name == "want" {
				p.archive.Files[i].Data = []byte(p.got)
			}
		}
		if err := os.WriteFile(p.file, txtar.Format(p.archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	// a line that ends in a question mark depends on the schedule: it may be said or not
	var want []string
	for line := range strings.Lines(p.wanted("want") + "\n") {
		if line, maybe := strings.CutSuffix(line, "?\n"); !maybe || strings.Contains(p.got, line+"\n") {
			want = append(want, strings.TrimSpace(line))
		}
	}
	if d := cmp.Diff(strings.Join(want, "\n"), strings.TrimSpace(p.got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
