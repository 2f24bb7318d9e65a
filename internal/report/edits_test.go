package report

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestEdits edits the module of testdata/edits/base.txtar, and compares the IDs of its races (RT3).
// Archives of the other names are edits that should keep the IDs; those that begin with not- are
// counterexamples, whose races must not get the ID of another race. It prints how many edits keep
// all IDs, with the keys of trace.SiteInfo and without.
func TestEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: it loads a module for each edit")
	}
	names, err := filepath.Glob("testdata/edits/*.txtar")
	if err != nil || len(names) < 40 {
		t.Fatal(len(names), err)
	}
	base := module(t, "testdata/edits/base.txtar")
	all := map[string][2]map[string]string{"": idsOf(t, base)}
	for _, name := range names {
		if filepath.Base(name) != "base.txtar" {
			all[name] = idsOf(t, edit(t, base, name))
		}
	}
	for i, keys := range []int{0, plan.KeysVersion} {
		before := all[""][i]
		kept, edits, wrong := 0, 0, 0
		var changed []string
		for _, name := range names {
			after := all[name][i]
			if after == nil {
				continue
			}
			lost := ""
			for _, race := range slices.Sorted(maps.Keys(after)) {
				if id := before[race]; id != "" && after[race] != id {
					lost += " " + race
				}
				for other, id := range before {
					if id == after[race] && other != race {
						if wrong++; keys > 0 {
							t.Errorf("%s: race %s has the ID of %s", filepath.Base(name), race, other)
						}
					}
				}
			}
			if strings.HasPrefix(filepath.Base(name), "not-") {
				continue
			}
			if edits++; lost == "" {
				kept++
			} else {
				changed = append(changed, strings.TrimSuffix(filepath.Base(name), ".txtar")+":"+lost)
			}
		}
		t.Logf("keys %d: %d of %d edits keep all IDs; not %s; wrong: %d", keys, kept, edits, strings.Join(changed, ", "), wrong)
		if keys > 0 && kept < 28 {
			t.Errorf("only %d of %d edits keep all IDs", kept, edits)
		}
	}
}

func module(t *testing.T, name string) map[string]string {
	t.Helper()
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range ar.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// edit returns the files of a module after the edit of an archive. Its sections are: replace FILE,
// with pairs of texts, apart by lines of ---- and ====; rename FILE, with the new name; delete
// FILE; file FILE, a new one.
func edit(t *testing.T, files map[string]string, name string) map[string]string {
	t.Helper()
	files = maps.Clone(files)
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range ar.Files {
		verb, file, _ := strings.Cut(s.Name, " ")
		text := string(s.Data)
		_, known := files[file]
		if known == (verb == "file") {
			t.Fatalf("%s: %s", name, s.Name)
		}
		switch verb {
		case "replace":
			for pair := range strings.SplitSeq(text, "====\n") {
				from, to, _ := strings.Cut(pair, "----\n")
				// a text begins and ends within a line
				from, to = strings.TrimSuffix(from, "\n"), strings.TrimSuffix(to, "\n")
				if strings.Count(files[file], from) != 1 {
					t.Fatalf("%s: %s has %d of %q", name, file, strings.Count(files[file], from), from)
				}
				files[file] = strings.Replace(files[file], from, to, 1)
			}
		case "rename":
			files[strings.TrimSpace(text)] = files[file]
			delete(files, file)
		case "delete":
			delete(files, file)
		case "file":
			files[file] = text
		default:
			t.Fatalf("%s: %s", name, s.Name)
		}
	}
	return files
}

var racing = regexp.MustCompile(`race\((\S+) (\S+) (\S+)\)`)

// idsOf loads a module and returns the ID of each of its races, without keys and with them.
func idsOf(t *testing.T, files map[string]string) [2]map[string]string {
	t.Helper()
	dir := t.TempDir()
	root := dir
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) == "go.mod" {
			root = filepath.Dir(file)
		}
	}
	prog, err := plan.Load(t.Context(), plan.Config{Dir: root, Tests: true, Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	p := plan.New(prog, nil)
	sides := map[string][]trace.Event{}
	for name, text := range files {
		for i, line := range strings.Split(text, "\n") {
			for _, m := range racing.FindAllStringSubmatch(line, -1) {
				e := accessAt(p, filepath.Join(dir, name), i+1, m[2], m[3])
				if e.Site == 0 {
					t.Fatalf("%s:%d: no access %s", name, i+1, m[0])
				}
				e.G = trace.GoID(1 + len(sides[m[1]]))
				sides[m[1]] = append(sides[m[1]], e)
			}
		}
	}
	meta := &trace.Meta{Source: "presage", Files: p.Files, Funcs: p.Funcs, Sites: p.Sites, Goroutines: make([]trace.Goroutine, 3)}
	without := located(t, meta, sides)
	meta.Keys = plan.KeysVersion
	return [2]map[string]string{without, located(t, meta, sides)}
}

// located returns the IDs of races, by name.
func located(t *testing.T, meta *trace.Meta, sides map[string][]trace.Event) map[string]string {
	t.Helper()
	var specs []Spec
	var events []trace.Event
	for name, list := range sides {
		if len(list) != 2 {
			t.Fatalf("race %s has %d accesses", name, len(list))
		}
		specs = append(specs, Spec{A: int64(len(events)), B: int64(len(events)) + 1, Tier: Observed})
		events = append(events, list...)
	}
	l := NewLocator(meta, specs, nil, Types{})
	for i := range events {
		l.Step(int64(i), &events[i])
	}
	races, err := l.Races()
	if err != nil {
		t.Fatal(err)
	}
	var set Set
	for _, r := range races {
		set.Add(r)
	}
	ids := map[string]string{}
	for _, r := range set.Races() {
		if r.fingerprint() != r.ID && meta.Keys > 0 {
			t.Errorf("%s: two races have one fingerprint", r.ID)
		}
		for name, list := range sides {
			if x, y := list[0].Site, list[1].Site; x == r.A.Site && y == r.B.Site || x == r.B.Site && y == r.A.Site {
				ids[name] = r.ID
			}
		}
	}
	if len(ids) != len(sides) {
		t.Fatalf("%d IDs of %d races", len(ids), len(sides))
	}
	return ids
}

// accessAt is the last access of a kind at a line.
func accessAt(p *plan.Plan, file string, line int, kind, object string) (e trace.Event) {
	for i, s := range p.Sites {
		if s.Line != int32(line) || p.Files[s.File].Name != file || s.Instr < 0 {
			continue
		}
		f, block, instr := p.FuncAt(trace.Site(i))
		is, about := "", s.Object
		switch in := f.SSA.Blocks[block].Instrs[instr].(type) {
		case *ssa.UnOp, *ssa.Lookup:
			is, e.Kind = "read", format.Read
		case *ssa.Store, *ssa.MapUpdate:
			is, e.Kind = "write", format.Write
		case ssa.CallInstruction:
			is, e.Kind = "call", format.Read
			if fn := in.Common().StaticCallee(); fn != nil {
				is, e.Kind, about = "atomic", format.AtomicRMW, fmt.Sprint(s.Expr, object)
			}
		}
		if is == kind && strings.HasSuffix(about, object) {
			e.Site = trace.Site(i)
			return e
		}
	}
	return trace.Event{}
}
