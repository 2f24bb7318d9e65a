package filter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/inside"
	"github.com/presage-race/presage/bench/internal/session"
)

// short is how long a row goes on although it has the runs that were asked for.
const short = 5 * time.Second

type table struct {
	*inside.Builder
	modules *session.Session
	n       int
	limit   time.Duration
	only    *regexp.Regexp
	figures *command.Figures
}

// A subject is a program of the table: a package here, or the tests of one of a module.
type subject struct {
	name            string
	module, version string
	pkg             string
	rounds          int // of a program that ends at once: how often its main is run
	// of a module: how often each benchmark is run besides the tests; 0: none
	times int
	args  []string // of a module's tests
}

var subjects = []subject{
	{name: "critical", rounds: 20000}, {name: "airline", rounds: 5000}, {name: "account", rounds: 5000}, {name: "pingpong", rounds: 10000}, {name: "bubblesort", rounds: 1000},
	{name: "raytracer", rounds: 1000}, {name: "montecarlo", rounds: 200}, {name: "moldyn", rounds: 200},
	{name: "bbuffer"}, {name: "bufwriter"}, {name: "mergesort"}, // these pause
	{name: "http", pkg: "./programs/online/http"},
	{name: "mapmutex", pkg: "./programs/online/mapmutex"},
	{name: "ants", module: "github.com/panjf2000/ants/v2", version: "v2.11.3", args: skip("WaitToGetWorker|Purge|RestCodeCoverage|Release|RetrieveExpiry|GetWorkerFromCache|WorkerStack")},
	{name: "conc/pool", module: "github.com/sourcegraph/conc", version: "v0.3.0", pkg: "./pool", times: 2000},
	{name: "golang-lru", module: "github.com/hashicorp/golang-lru/v2", version: "v2.0.7", times: 50000},
	{name: "ristretto", module: "github.com/dgraph-io/ristretto", version: "v0.2.0", args: skip("TestCacheMaxCost|TTL")},
	{name: "memberlist", module: "github.com/hashicorp/memberlist", version: "v0.5.4", args: skip("Suspicion_Timer|Dogpile|EncryptedGossip|ListenBackoff|BroadcastQueueMetrics")},
	{name: "client_golang", module: "github.com/prometheus/client_golang", version: "v1.20.2", pkg: "./prometheus/promhttp"},
	{name: "zap", module: "go.uber.org/zap", version: "v1.27.0", times: 200},
	{name: "zap/zapcore", module: "go.uber.org/zap", version: "v1.27.0", pkg: "./zapcore", times: 50},
	{name: "x/sync/semaphore", module: "golang.org/x/sync", version: "v0.24.0", pkg: "./semaphore", times: 5000},
	{name: "x/sync/errgroup", module: "golang.org/x/sync", version: "v0.24.0", pkg: "./errgroup", times: 20000},
	{name: "x/sync/singleflight", module: "golang.org/x/sync", version: "v0.24.0", pkg: "./singleflight"},
	{name: "websocket", module: "github.com/gorilla/websocket", version: "v1.5.3"},
	{name: "btree", module: "github.com/google/btree", version: "v1.1.3"},
}

// skip leaves out tests of a module that wait for seconds: they take no time of the processor, and
// ten runs of them take hours.
func skip(tests string) []string { return []string{"-test.skip=" + tests} }

func (t *table) run(ctx context.Context) error {
	fmt.Printf("%-20s %12s %7s %7s %8s %8s %8s %8s %8s %18s %6s\n", "", "accesses", "none %", "tree %", "locks %", "MB none", "MB more", "none s", "speed-up", "tree/none, 95 %", "runs")
	var all, many []float64 // times of tree by none
	var slower []string
	for _, s := range subjects {
		if !t.only.MatchString(s.name) {
			continue
		}
		runs, err := t.measure(ctx, s)
		if err != nil {
			fmt.Printf("%-20s left out: %s\n", s.name, err)
			continue
		}
		ratio, gain, more := t.row(s, runs)
		t.figures.Print(s.name, command.Figure{Value: ratio, Unit: "tree/none"}, command.Figure{Value: gain, Unit: "more-dropped-%"})
		if more {
			slower = append(slower, s.name)
		}
		if all = append(all, ratio); gain > 30 {
			many = append(many, ratio)
		}
	}
	fmt.Printf("geometric mean of tree by none: %.3f of %d; where the filter drops over 30 %% more: %.3f of %d\n", session.Geomean(all), len(all), session.Geomean(many), len(many))
	fmt.Printf("slower with the filter, by an interval that is all above 1: %d %s\n", len(slower), strings.Join(slower, " "))
	return nil
}

// measure runs a program with the filter and without, in turn.
func (t *table) measure(ctx context.Context, s subject) (runs [2][]*inside.Run, err error) {
	dir, pkg := ".", s.pkg
	if s.module != "" {
		if dir, err = t.modules.Module(ctx, s.module, s.version); err != nil {
			return runs, err
		}
	} else if pkg == "" {
		pkg = "./programs/recipe/" + s.name
	}
	if s.rounds > 1 {
		if pkg, err = t.repeated(s, pkg); err != nil {
			return runs, err
		}
	}
	if pkg == "" {
		pkg = "."
	}
	bin := filepath.Join(t.Dir, strings.NewReplacer("/", "_").Replace(s.name)+".bin")
	if err := t.Build(inside.Online, dir, pkg, bin, s.module != ""); err != nil {
		return runs, err
	}
	args := s.args
	if s.module != "" {
		args = append([]string{"-test.short", "-test.count=1", "-test.timeout=10m"}, args...)
		if s.times > 0 {
			args = append(args, "-test.bench=.", fmt.Sprintf("-test.benchtime=%dx", s.times))
		}
	}
	in, failed := ".", 0
	if s.module != "" {
		in = filepath.Join(dir, pkg)
	}
	for begun, i := time.Now(), -1; t.more(i, time.Since(begun)); i++ {
		pair, err := t.pair(ctx, bin, in, i&1, args)
		switch {
		case err != nil && failed < mayFail && !errors.Is(err, context.DeadlineExceeded):
			// its own races may end a program
			failed++
			i--
			fmt.Printf("%-20s a pair again: %s\n", s.name, strings.SplitN(err.Error(), "\n", 2)[0])
		case err != nil:
			return runs, err
		case i >= 0:
			for k := range runs {
				runs[k] = append(runs[k], pair[k])
			}
		}
	}
	return runs, nil
}

// repeated writes a program that runs the main function of a package, which is one file, several
// times.
func (t *table) repeated(s subject, pkg string) (string, error) {
	src, err := os.ReadFile(filepath.Join(pkg, "main.go"))
	if err != nil {
		return "", err
	}
	again := fmt.Sprintf("func main() {\n\tfor range %d {\n\t\tonce()\n\t}\n}\n\nfunc once() {\n", s.rounds)
	src = bytes.Replace(src, []byte("func main() {\n"), []byte(again), 1)
	file := filepath.Join(t.Dir, s.name+"_repeated.go")
	return file, os.WriteFile(file, src, 0o666)
}

// mayFail is how many pairs of a row may be run again, since the program failed.
const mayFail = 5

// pair runs a program with the filter and without; first says which of them is the first.
func (t *table) pair(ctx context.Context, bin, dir string, first int, args []string) (pair [2]*inside.Run, err error) {
	for turn := range pair {
		k := (turn + first) & 1
		one, stop := context.WithTimeout(ctx, 5*time.Minute)
		pair[k], err = t.Once(one, bin, dir, k == 1, nil, args...)
		stop()
		if err != nil {
			return pair, err
		}
	}
	return pair, nil
}

// more reports whether to run a program again after n pairs: the first, before which n is -1, warms
// up; then as many as were asked for, or as fit into the limit; and ten times as many of a program
// that takes so little that its median would be noise.
func (t *table) more(n int, taken time.Duration) bool {
	switch {
	case n <= 0:
		return true
	case n < t.n:
		return taken*time.Duration(n+2)/time.Duration(n+1) < t.limit
	}
	return n < 10*t.n && taken < short
}

// row prints a row, and returns the time with the filter by that without, how many percent more of
// the accesses the filter drops, and whether it costs time: whether the interval of the ratio, pair
// by pair, is all above 1.
func (t *table) row(s subject, runs [2][]*inside.Run) (ratio, gain float64, slower bool) {
	none, tree := runs[0], runs[1]
	same := func(r *inside.Run) float64 { return 100 * float64(r.Same()) / float64(max(1, r.Accesses())) }
	cpu := func(r *inside.Run) float64 { return r.CPU }
	mb := func(r *inside.Run) float64 { return r.MB }
	locks := func(r *inside.Run) float64 {
		return 100 * float64(r.Counts["TreeReturned"]) / float64(max(1, r.Counts["TreeTaken"]))
	}
	a, b := inside.Median(none, cpu), inside.Median(tree, cpu)
	ratio = b / a
	gain = inside.Median(tree, same) - inside.Median(none, same)
	pairs := make([]float64, len(none))
	for i := range pairs {
		pairs[i] = tree[i].CPU / none[i].CPU
	}
	low, high := session.Interval(pairs)
	fmt.Printf("%-20s %12.0f %7.1f %7.1f %8.1f %8.0f %8.1f %8.3f %8.1f %18s %6d\n", s.name,
		inside.Median(none, func(r *inside.Run) float64 { return float64(r.Accesses()) }), inside.Median(none, same), inside.Median(tree, same),
		inside.Median(tree, locks), inside.Median(none, mb), inside.Median(tree, mb)-inside.Median(none, mb), a, 100*(1-ratio), fmt.Sprintf("%.2f to %.2f", low, high), len(none))
	return ratio, gain, low > 1
}
