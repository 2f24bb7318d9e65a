package progtest_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

var update = flag.Bool("update", false, "rewrite the races of the figures; new ones get the rung ?")

// TestFigures holds the explorer against what the papers say of their figures, and against what Go
// says of operations that have several outcomes (files choice-*). A file has the program, the order
// in which its goroutines run in the recorded run, and under want all races of the program with the
// lowest rung that proves each from that run:
//
//	causal   every read that matters keeps its value
//	value    reads may see other writes as long as branches go the same way
//	base     and so may reads of pointers, if every dereference still meets a known object
//	path     one branch goes the other way
//	beyond   a race of the program, but of none of these: as where a goroutine leaves its path at an
//	         operation whose outcome is not relaxed
//
// An access is the number in the comment that ends its line, and what it does.
func TestFigures(t *testing.T) {
	files, err := filepath.Glob("testdata/figures/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	l := progtest.NewLoader()
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { figure(t, l, name) })
	}
}

func figure(t *testing.T, l *progtest.Loader, name string) {
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	src := string(ar.Files[0].Data)
	p, err := l.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	run, err := p.RecordOrder(numbers(t, string(ar.Files[1].Data))...)
	if err != nil {
		t.Fatal(err)
	}
	truth := p.ExploreFrom(run, 1<<20)
	if !truth.Exhausted {
		t.Fatal(truth.Why)
	}
	got := map[string]string{}
	for _, q := range truth.Pairs {
		got[pairString(p, src, q)] = "?"
	}
	rungs := wanted(t, string(ar.Files[2].Data))
	for s := range got {
		if r := rungs[s]; r != "" {
			got[s] = r
		}
	}
	if *update {
		ar.Files[2].Data = []byte(lines(got))
		if err := os.WriteFile(name, txtar.Format(ar), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if g, w := lines(got), lines(rungs); g != w {
		t.Errorf("the races of the program are\n%swant\n%s", g, w)
	}
	for i, q := range truth.Pairs {
		switch s := pairString(p, src, q); got[s] {
		case "causal", "value", "base":
			if truth.Off[i] != 0 {
				t.Errorf("%s: %s, but %d goroutines have left their paths", s, got[s], truth.Off[i])
			}
		case "path":
			if truth.Off[i] == 0 {
				t.Errorf("%s: path, but no goroutine has left its path", s)
			}
		}
	}
	ladder(t, p, src, run, got)
}

// ladder checks that the analysis finds exactly these races, each on its rung.
func ladder(t *testing.T, p *progtest.Program, src string, run *progtest.Run, rungs map[string]string) {
	w := walk.NewBranching(p.Plan)
	w.Read(run.Meta)
	res, err := predict.Run(context.Background(), run.Source(), run.Meta, predict.Options{Level: predict.Paths, Walker: w})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range w.Mismatches() {
		t.Errorf("%v", m)
	}
	for _, err := range res.Rejected {
		t.Errorf("%v", err)
	}
	got := map[string]string{}
	for _, r := range res.Races {
		rung := "causal"
		switch {
		case slices.ContainsFunc(r.Paths, func(p *predict.Path) bool { return p.Base }):
			rung = "base"
		case len(r.Paths) > 0:
			rung = "path"
		case r.Semantics == model.EvaluatedReads:
			// also if it is observed: nothing orders the papers' threads
			rung = "value"
		}
		got[pairString(p, src, progtest.PairOf(r.A.Site, r.B.Site))] = rung
	}
	want := maps.Clone(rungs)
	maps.DeleteFunc(want, func(_, rung string) bool { return rung == "beyond" })
	if g, w := lines(got), lines(want); g != w {
		t.Errorf("the analysis finds\n%swant\n%s", g, w)
	}
}

// pairString names the accesses of a pair by the numbers of their lines.
func pairString(p *progtest.Program, src string, q progtest.Pair) string {
	text := strings.Split(src, "\n")
	one := func(i int) string {
		s := &p.Plan.Sites[[]int{int(q.A), int(q.B)}[i]]
		line := text[s.Line-1]
		label := "line " + strconv.Itoa(int(s.Line))
		if at := strings.LastIndex(line, "//"); at >= 0 {
			label = line[at+2:]
		}
		return label + " " + verb(p.Plan, trace.Site([]int{int(q.A), int(q.B)}[i])) + " " + s.Expr
	}
	a, b := one(0), one(1)
	if n, m := number(a), number(b); n > m || n == m && a > b {
		a, b = b, a
	}
	return a + ", " + b
}

// verb says what the instruction of a site does with memory.
func verb(p *plan.Plan, s trace.Site) string {
	f, b, i := p.FuncAt(s)
	in := &f.Blocks[b].Instrs[i]
	return slices.Concat(in.Before, in.After)[0].Kind.String()
}

func number(s string) int {
	n, err := strconv.Atoi(strings.Fields(s)[0])
	if err != nil {
		return 1 << 20
	}
	return n
}

func numbers(t *testing.T, text string) (out []int) {
	for _, f := range strings.Fields(text) {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func wanted(t *testing.T, text string) map[string]string {
	m := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		pair, rung, ok := strings.Cut(line, ": ")
		if !ok && line != "" {
			t.Fatalf("line %q", line)
		}
		if line != "" {
			m[pair] = rung
		}
	}
	return m
}

func lines(m map[string]string) string {
	var out []string
	for s, r := range m {
		out = append(out, fmt.Sprintf("%s: %s\n", s, r))
	}
	slices.SortFunc(out, func(a, b string) int {
		if n, m := number(a), number(b); n != m {
			return n - m
		}
		return strings.Compare(a, b)
	})
	return strings.Join(out, "")
}
