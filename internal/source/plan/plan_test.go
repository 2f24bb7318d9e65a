package plan

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/trace"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestHooks plans the module of each txtar file and compares the listing of its hooks.
func TestHooks(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := list(New(load(t, ar), nil))
			for i, f := range ar.Files {
				if f.Name != "want" {
					continue
				}
				if *update {
					ar.Files[i].Data = []byte(got)
					if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				if diff := cmp.Diff(string(f.Data), got); diff != "" {
					t.Errorf("hooks differ (-want +got):\n%s", diff)
				}
				return
			}
			t.Error("no want section")
		})
	}
}

// TestNumbering checks that sites do not depend on what is opaque, and that FuncAt inverts them.
func TestNumbering(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/calls.txtar")
	if err != nil {
		t.Fatal(err)
	}
	prog := load(t, ar)
	all, some := New(prog, nil), New(prog, map[string]string{"example.com/m.leaf": "test"})
	// a go statement or a call of a function that stays as written
	defers := cmpopts.IgnoreFields(trace.SiteInfo{}, "Defers", "Apart", "Key")
	if diff := cmp.Diff(all.Sites, some.Sites, defers); diff != "" {
		t.Errorf("sites depend on opacity:\n%s", diff)
	}
	if some.Func(prog.Packages[0].SSA.Func("leaf")) != nil {
		t.Error("opaque function has a plan")
	}
	for _, f := range all.funcs {
		for b, blk := range f.Blocks {
			for i, in := range blk.Instrs {
				if in.Site == 0 {
					continue
				}
				if gf, gb, gi := all.FuncAt(in.Site); gf != f || gb != b || gi != i {
					t.Errorf("FuncAt(%d) = %v, %d, %d; want %v, %d, %d", in.Site, gf.SSA, gb, gi, f.SSA, b, i)
				}
			}
		}
	}
}

// load writes the archive's module to a directory and loads it.
func load(t testing.TB, ar *txtar.Archive) *Program {
	t.Helper()
	dir := t.TempDir()
	for _, f := range ar.Files {
		if f.Name == "want" {
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := Load(t.Context(), Config{Dir: dir, Tests: true, Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// list prints the hooks of every function.
func list(p *Plan) string {
	var b bytes.Buffer
	for _, f := range p.funcs {
		info := p.Funcs[f.ID]
		fmt.Fprintf(&b, "%s line %d", info.Name, info.Line)
		if f.Defers {
			fmt.Fprint(&b, " defers")
		}
		if info.Opaque != "" {
			fmt.Fprintf(&b, " opaque: %s\n", info.Opaque)
			continue
		}
		fmt.Fprintf(&b, " params %d\n", len(f.Params))
		for i, blk := range f.Blocks {
			fmt.Fprintf(&b, "  block %d recorded %v\n", i, blk.Recorded)
			for j, in := range blk.Instrs {
				listInstr(&b, p, f.SSA.Blocks[i].Instrs[j], &in)
			}
		}
	}
	return b.String()
}

func listInstr(b *bytes.Buffer, p *Plan, in ssa.Instruction, ip *Instr) {
	if !ip.Call && !ip.Opaque && !ip.Fused && len(ip.Before)+len(ip.After) == 0 {
		return
	}
	text := in.String()
	if v, ok := in.(ssa.Value); ok {
		text = v.Name() + " = " + text
	}
	fmt.Fprintf(b, "    %s", text)
	for _, w := range []struct {
		on   bool
		name string
	}{{ip.Call, "call"}, {ip.Opaque, "opaque"}, {ip.Fused, "fused"}} {
		if w.on {
			fmt.Fprintf(b, " %s", w.name)
		}
	}
	for _, h := range ip.Before {
		fmt.Fprintf(b, " before:%s", listHook(h))
	}
	for _, h := range ip.After {
		fmt.Fprintf(b, " after:%s", listHook(h))
	}
	if s := p.Sites[ip.Site]; s.Expr != "" {
		fmt.Fprintf(b, "   `%s` is %q", s.Expr, s.Object)
	}
	fmt.Fprintln(b)
}

func listHook(h Hook) string {
	s := fmt.Sprintf("%v(", h.Kind)
	if h.Addr != nil {
		s += h.Addr.Name() + " "
	}
	if h.Extent != Pointee {
		s += [...]string{"", "map", "elements", "tail", "grown", "copied", "text"}[h.Extent] + " "
	}
	if h.Offset > 0 {
		s += fmt.Sprintf("+%d ", h.Offset)
	}
	if h.Val != nil {
		s += h.Val.Name()
	}
	if h.Index >= 0 {
		s += fmt.Sprintf("#%d", h.Index)
	}
	if h.Case >= 0 {
		s += fmt.Sprintf(" case %d", h.Case)
	}
	return s + fmt.Sprintf(" %d)", h.Size)
}

// FuzzMatches: a plan and the tables of any trace agree or not, and agreement is of every file.
func FuzzMatches(f *testing.F) {
	ar, err := txtar.ParseFile("testdata/calls.txtar")
	if err != nil {
		f.Fatal(err)
	}
	p := New(load(f, ar), nil)
	own, err := json.Marshal(&trace.Meta{Files: p.Files, Funcs: p.Funcs, Sites: p.Sites})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte(`{"files":[{"name":"a.go","hash":"0"}],"outside":{"files":-1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m trace.Meta
		if json.Unmarshal(data, &m) != nil || p.Matches(&m) != nil {
			return
		}
		if len(m.Funcs) < len(p.Funcs) || len(m.Sites) < len(p.Sites) {
			t.Errorf("%s agrees", data)
		}
	})
}
