package walk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// TestGlobals records the tests of a module. Each trace has the addresses of exactly the variables
// of its process, under the names by which the plan knows them, and the walk agrees with them.
func TestGlobals(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library: not with -short")
	}
	a, err := txtar.ParseFile("testdata/globals/module.txtar")
	must(t, err)
	dir := t.TempDir()
	for _, f := range a.Files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o777))
		must(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666))
	}
	t.Chdir(dir)
	var out bytes.Buffer
	res, err := record.Run(context.Background(), record.Config{Test: true, Packages: []string{"./..."}, Flags: []string{"-v"}, Stdout: &out, Stderr: &out})
	if err != nil || res.ExitCode != 0 {
		t.Fatalf("recording: %v\n%s", err, out.String())
	}
	p, err := res.Plan(context.Background())
	must(t, err)
	want := map[string]map[string]trace.Addr{}
	for line := range strings.Lines(out.String()) {
		var process, name string
		var addr trace.Addr
		if n, _ := fmt.Sscanf(line, "VAR %s %s %v", &process, &name, &addr); n == 3 {
			if want[process] == nil {
				want[process] = map[string]trace.Addr{}
			}
			want[process][name] = addr
		}
	}
	if len(want) != 2 || len(res.Traces) != 2 {
		t.Fatalf("%d processes, %d traces, want 2\n%s", len(want), len(res.Traces), out.String())
	}
	for _, name := range res.Traces {
		t.Run(filepath.Base(name), func(t *testing.T) {
			globals(t, name, p, want[strings.TrimSuffix(filepath.Base(name), ".trace")])
		})
	}
}

func globals(t *testing.T, name string, p *plan.Plan, want map[string]trace.Addr) {
	tr, err := trace.Open(name)
	must(t, err)
	defer tr.Close()
	got := map[string]trace.Addr{}
	for _, g := range tr.Meta().Globals {
		got[g.Name] = g.Addr
	}
	if diff := cmp.Diff(want, got); diff != "" || len(tr.Meta().Globals) != len(got) {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	program, placed := regcode.NewProgram(p), map[string]trace.Addr{}
	program.Place(tr.Meta().Globals)
	for _, pkg := range p.Program.Packages {
		for _, m := range pkg.SSA.Members {
			if v, ok := m.(*ssa.Global); ok {
				if addr, _, ok := program.Global(v).AddressAt(); ok {
					placed[v.String()] = trace.Addr(addr)
				}
			}
		}
	}
	if diff := cmp.Diff(want, placed); diff != "" {
		t.Errorf("variables of the program (-want +got):\n%s", diff)
	}
	good, bad := walk.New(p), walk.New(p)
	good.Read(tr.Meta())
	wrong := *tr.Meta()
	wrong.Globals = slices.Clone(wrong.Globals)
	for i := range wrong.Globals {
		wrong.Globals[i].Addr += 8
	}
	bad.Read(&wrong)
	var e trace.Event
	for i := int64(0); ; i++ {
		if err := tr.Next(&e); errors.Is(err, io.EOF) {
			break
		}
		good.Step(i, &e)
		bad.Step(i, &e)
	}
	if s := good.Stats(); s.Mismatches > 0 || s.Invocations == 0 {
		t.Errorf("%d mismatches in %d functions: %v", s.Mismatches, s.Invocations, good.Mismatches())
	}
	if bad.Stats().Mismatches == 0 {
		t.Error("addresses that differ from those of the accesses are no mismatch")
	}
}
