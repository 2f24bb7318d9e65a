package walk_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

var (
	update = flag.Bool("update", false, "rewrite the want section of testdata/*.txtar")
	dump   = flag.Bool("dump", false, "print the SSA of testdata/*.txtar with the sites a trace may name")
)

// TestWalk walks the traces of testdata/*.txtar. A line of a trace is
//
//	G KIND SITE [name=value]…
//
// SITE is a function, function:block or function:block.instruction; names are obj, val, aux,
// size, flags, call (Enter: the site of the call), w (further words of a Value). The want
// section has a line per event: what the walk says of it.
func TestWalk(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data: ", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { walkFile(t, name) })
	}
}

func walkFile(t *testing.T, name string) {
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	section := map[string]int{}
	dir := t.TempDir()
	for i, f := range ar.Files {
		section[f.Name] = i
		if strings.HasSuffix(f.Name, ".go") {
			must(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666))
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module p\n\ngo 1.26\n"), 0o666))
	prog, err := plan.Load(context.Background(), plan.Config{Dir: dir})
	must(t, err)
	p := plan.New(prog, nil)
	if *dump {
		dumpPlan(p)
	}
	got := walkText(t, p, string(ar.Files[section["trace"]].Data))
	if *update {
		ar.Files[section["want"]].Data = []byte(got)
		must(t, os.WriteFile(name, txtar.Format(ar), 0o666))
		return
	}
	if diff := cmp.Diff(string(ar.Files[section["want"]].Data), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dumpPlan prints the SSA with the number of every instruction.
func dumpPlan(p *plan.Plan) {
	for _, u := range p.Units {
		for _, f := range u.Funcs {
			fmt.Println(funcName(f))
			for i, b := range f.SSA.Blocks {
				fmt.Printf("  %s:%d recorded=%v\n", funcName(f), i, f.Blocks[i].Recorded)
				for j, in := range b.Instrs {
					ip := &f.Blocks[i].Instrs[j]
					fmt.Printf("    %d.%d %v  before %d after %d call %v opaque %v\n", i, j, in, len(ip.Before), len(ip.After), ip.Call, ip.Opaque)
				}
			}
		}
	}
}

func funcName(f *plan.Func) string { return strings.TrimPrefix(f.SSA.String(), "p.") }

// siteNames maps the names that a trace may use to sites.
func siteNames(p *plan.Plan) map[string]trace.Site {
	m := map[string]trace.Site{}
	for _, u := range p.Units {
		for _, f := range u.Funcs {
			m[funcName(f)] = f.Site
			for i := range f.Blocks {
				m[fmt.Sprintf("%s:%d", funcName(f), i)] = f.Blocks[i].Site
				for j := range f.Blocks[i].Instrs {
					m[fmt.Sprintf("%s:%d.%d", funcName(f), i, j)] = f.Blocks[i].Instrs[j].Site
				}
			}
		}
	}
	return m
}

// parse makes the events of one line of a trace.
func parse(line string, sites map[string]trace.Site) ([]trace.Event, error) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return nil, fmt.Errorf("%q: want G KIND SITE", line)
	}
	id, err := strconv.Atoi(f[0])
	if err != nil {
		return nil, err
	}
	e := trace.Event{G: trace.GoID(id), Size: 8}
	for k := range format.Max {
		if k.String() == f[1] {
			e.Kind = k
		}
	}
	site, ok := sites[f[2]]
	if e.Kind == 0 || !ok && f[2] != "-" {
		return nil, fmt.Errorf("%q: no such kind or site", line)
	}
	e.Site = site
	events := []trace.Event{e}
	for _, kv := range f[3:] {
		k, v, _ := strings.Cut(kv, "=")
		if k == "call" {
			events[0].Val = uint64(sites[v])
			continue
		}
		n, err := strconv.ParseUint(v, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		switch k {
		case "obj":
			events[0].Obj = trace.Addr(n)
		case "val":
			events[0].Val = n
		case "aux":
			events[0].Aux = n
		case "size":
			events[0].Size = uint16(n)
		case "flags":
			events[0].Flags = format.Flags(n)
		case "w":
			events[0].Size += 8
			events = append(events, trace.Event{Kind: format.Word, G: e.G, Val: n})
		}
	}
	return events, nil
}

// walkText walks a trace in text form and prints what the walk says.
func walkText(t *testing.T, p *plan.Plan, text string) string {
	var b strings.Builder
	w := walk.New(p)
	sites := siteNames(p)
	index := int64(0)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		events, err := parse(line, sites)
		must(t, err)
		fmt.Fprintf(&b, "%d %s:", index, strings.Join(strings.Fields(line)[:3], " "))
		for i := range events {
			flow := w.Step(index, &events[i])
			if !flow.Walked {
				b.WriteString(" unwalked")
			}
			if len(flow.Needs) > 0 {
				fmt.Fprintf(&b, " needs %v", flow.Needs)
			}
			if len(flow.From) > 0 {
				fmt.Fprintf(&b, " from %v", flow.From)
			}
			index++
		}
		b.WriteString("\n")
	}
	for _, m := range w.Mismatches() {
		m.Pos = filepath.Base(m.Pos)
		fmt.Fprintln(&b, m)
	}
	return b.String()
}
