package predict_test

import (
	"context"
	"flag"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/oracle/levels"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

var levelsN = flag.Int("levels.n", 1, "TestLevels…: times as many random traces")

// TestLevelsOfText: every level finds what the ones below it find, in every trace that is a section
// of a testdata file of the repository. The recorded run is taken as a witness in all of them.
func TestLevelsOfText(t *testing.T) {
	traces, races := 0, 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".txtar" || strings.Contains(name, "script") {
			return err
		}
		a, err := txtar.ParseFile(name)
		if err != nil {
			return err
		}
		for _, f := range a.Files {
			events, meta, err := raw.Parse(string(f.Data))
			if err != nil || len(events) == 0 {
				continue // not a trace
			}
			traces++
			for mode := excluded.Reachable; mode <= excluded.Everything; mode++ {
				races += contained(t, name+", "+f.Name, asRecorded(events, meta, nil, mode))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d traces, %d races", traces, races)
	if traces < 200 || races < 200 {
		t.Error("most traces are not read")
	}
}

// TestLevelsOfRandom: the same in random executions with every primitive, as they are and with
// parts that are missing or opaque calls.
func TestLevelsOfRandom(t *testing.T) {
	n := 2000 * *levelsN
	profiles := slices.DeleteFunc(tracetest.Profiles(), func(p tracetest.Profile) bool {
		// terms come from the program, not from its trace
		return p.Semantics == model.EvaluatedReads
	})
	hides := []func(*rand.Rand, []trace.Event, []flow.Flow) tracetest.Hidden{tracetest.Hide, tracetest.HideAccesses, tracetest.HideOutside}
	races := 0
	for k := range n {
		r := rand.New(rand.NewPCG(37, uint64(k)))
		p := profiles[k%len(profiles)]
		p.Before, p.Where = 0, 0
		w := tracetest.Generate(r, p)
		w.Edges, w.Orders = nil, nil
		if tracetest.Validate(w) != nil {
			continue
		}
		events, flows := tracetest.Trace(w)
		switch how := r.IntN(len(hides) + 2); {
		case how < len(hides):
			h := hides[how](r, events, flows)
			events, flows = h.Events, h.Flows
		case how == len(hides):
			opaque(r, events)
		}
		x := asRecorded(events, &trace.Meta{}, flows, excluded.Reachable)
		if k%2 == 0 {
			x.Options.Window = 5
		}
		races += contained(t, p.Name, x)
	}
	t.Logf("%d races", races)
	if races < n {
		t.Error("too few races to say anything")
	}
}

// opaque makes some synchronisation that of code outside.
func opaque(r *rand.Rand, events []trace.Event) {
	for i := range events {
		if !events[i].Kind.IsAccess() && r.IntN(2) == 0 {
			events[i].Flags |= format.FlagOpaque
		}
	}
}

// TestLevelsOfPrograms: the same in recorded runs of random programs, which are walked.
func TestLevelsOfPrograms(t *testing.T) {
	races, higher := 0, 0
	eachProgram(t, func(seed uint64, p *progtest.Program, run *progtest.Run) {
		x := levels.Trace{Open: levels.InMemory(run.Events, run.Meta), Meta: run.Meta, Walker: levels.Walkers(p.Plan, run.Meta, excluded.Reachable)}
		f := compare(t, x)
		for _, l := range f.Lost {
			t.Errorf("program %d: %v\n%s", seed, l, p.Source)
		}
		races += len(f.Races[0])
		higher += len(f.Races[len(f.Races)-1]) - len(f.Races[0])
	})
	t.Logf("%d races at the lowest level, %d more at the highest", races, higher)
	if races == 0 || higher == 0 {
		t.Error("too few races to say anything")
	}
}

// eachProgram calls f with recorded runs of random programs.
func eachProgram(t *testing.T, f func(seed uint64, p *progtest.Program, run *progtest.Run)) {
	t.Helper()
	loader := progtest.NewLoader()
	for seed := range uint64(300 * *levelsN) {
		p, err := loader.Load(progtest.Generate(seed, progtest.Knobs{}))
		if err != nil {
			t.Fatal(err)
		}
		if run, err := p.Record(seed); err == nil { // it was not given up
			f(seed, p, run)
		}
	}
}

// TestLevelsTell: a race that a level loses, because its solver refuses everything, is seen as
// lost.
func TestLevelsTell(t *testing.T) {
	events, meta, err := raw.Parse("main go a\nmain write x val=1 @w\nmain lock m\nmain unlock m\na lock m\na unlock m\na write x val=2 @v\n")
	if err != nil {
		t.Fatal(err)
	}
	x := asRecorded(events, meta, nil, excluded.Reachable)
	made := 0
	x.Options.Solver = func(w *model.Window) predict.Solver {
		if made++; made > 1 {
			return refusing{}
		}
		return engine.New(w, engine.Options{})
	}
	f := compare(t, x)
	want := []levels.Lost{{Pair: levels.Pair{A: 1, B: 2}, Tier: predict.Predicted, Low: "causal", High: "value"}}
	if d := cmp.Diff(want, f.Lost); d != "" {
		t.Errorf("lost (-want +got):\n%s", d)
	}
}

// refusing is a solver that says of every pair that it is no race.
type refusing struct{}

func (refusing) Solve(model.Pair) engine.Result { return engine.Result{Verdict: engine.NoRace} }

// asRecorded is a trace as if presage had recorded it: unordered accesses have the recorded run as
// their witness. flows may be nil.
func asRecorded(events []trace.Event, meta *trace.Meta, flows []flow.Flow, missing excluded.Mode) levels.Trace {
	own := *meta
	own.Source = "presage"
	x := levels.Trace{Open: levels.InMemory(events, &own), Meta: &own, Options: predict.Options{Excluded: missing}}
	if flows != nil {
		x.Walker = func(predict.Level) flow.Walker { return tracetest.Walker(flows) }
	}
	return x
}

func compare(t *testing.T, x levels.Trace) *levels.Found {
	t.Helper()
	f, err := levels.Compare(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// contained reports the pairs that a level loses, and returns how many race at the highest level.
func contained(t *testing.T, name string, x levels.Trace) int {
	t.Helper()
	f := compare(t, x)
	for _, l := range f.Lost {
		t.Errorf("%s: %v\n%s", name, l, textOf(t, x))
	}
	return len(f.Races[len(f.Races)-1])
}

func textOf(t *testing.T, x levels.Trace) string {
	t.Helper()
	src, c, err := x.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var events []trace.Event
	for {
		var e trace.Event
		if err := src.Next(&e); err != nil {
			return raw.Text(events, x.Meta)
		}
		events = append(events, e)
	}
}
