// Package stages measures each stage of an analysis alone: its CPU time for an event, and how its
// memory grows over the trace.
//
//	go -C bench run ./suites stages merge raw/1234        # of one process, kept with -exec (below)
//	go -C bench run ./suites stages read t.trace          # decoding alone
//	go -C bench run ./suites stages hb t.trace            # and the happens-before pass
//	go -C bench run ./suites stages walk t.trace          # and, instead, the walk through the program
//	go -C bench run ./suites stages window t.trace        # windows, without walk and engine
//	go -C bench run ./suites stages all t.trace           # everything, as presage analyze does it
//
// A run removes its raw records when the trace is made. To keep them, give presage test an -exec
// that is a script of these lines:
//
//	"$@"; code=$?
//	cp -al "$PRESAGE_DIR"/. /where/they/stay
//	exit $code
//
// Each line of the output is a part of the trace: events so far; millions of events per second of
// CPU in this part; with -heap the live heap; the anonymous memory of the process.
package stages

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/record/merge"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// options are the flags.
type options struct {
	limit, every        int64
	heap                bool
	level, out          string
	memprofile, peakout string
}

// Main measures one stage of one trace.
func Main(args []string) int {
	flags := command.Flags("suites stages", "[flags] merge|read|hb|walk|window|all TRACE")
	o := &options{}
	flags.Int64Var(&o.limit, "n", 0, "events to read; 0: all")
	flags.Int64Var(&o.every, "every", 10_000_000, "events between two lines")
	flags.BoolVar(&o.heap, "heap", false, "collect garbage before each line, and print the live heap")
	flags.StringVar(&o.out, "o", "", "merge: write the trace to this file (without tables)")
	flags.StringVar(&o.level, "level", "causal", "all: causal, value or path")
	cpu := flags.String("cpuprofile", "", "write a CPU profile to this file")
	stop := flags.Duration("stop", 0, "end then, with the CPU profile so far")
	flags.StringVar(&o.memprofile, "memprofile", "", "write a heap profile at the last event to this file")
	flags.StringVar(&o.peakout, "peakprofile", "", "write a heap profile at the peak of live memory to this file")
	flags.Parse(args)
	if flags.NArg() != 2 {
		return command.Usage(flags)
	}
	if *cpu != "" {
		f, err := os.Create(*cpu)
		command.Check(err)
		command.Check(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
	}
	if *stop > 0 {
		time.AfterFunc(*stop, func() {
			pprof.StopCPUProfile()
			os.Exit(1)
		})
	}
	if o.peakout != "" {
		go watch(o.peakout)
	}
	name, file := flags.Arg(0), flags.Arg(1)
	if name == "merge" {
		o.merge(file)
		return 0
	}
	if !o.stage(name, file) {
		return command.Usage(flags)
	}
	return 0
}

// merge measures the merge of the raw records of a process.
func (o *options) merge(dir string) {
	m := &meter{options: o, begun: time.Now()}
	var to io.Writer = io.Discard
	if o.out != "" {
		f, err := os.Create(o.out)
		command.Check(err)
		defer f.Close()
		to = f
	}
	w, err := trace.NewWriter(to, nil)
	command.Check(err)
	stats, err := merge.Merge(dir, &trace.Meta{}, w, merge.Options{})
	command.Check(err)
	command.Check(w.Close(nil))
	m.n = stats.Events
	m.line()
	fmt.Printf("%+v\n", stats)
}

// stage measures a stage that reads a trace. It returns false if there is none of the name.
func (o *options) stage(name, file string) bool {
	in, err := source.Open(file)
	command.Check(err)
	defer in.Close()
	m := &meter{options: o, in: in, begun: time.Now()}
	switch name {
	case "read":
		m.each(func(int64, *trace.Event) {})
	case "hb":
		d := hb.New()
		m.each(d.Step)
		fmt.Printf("%d pairs of sites\n", len(d.Races()))
	case "walk":
		w := o.walker(in)
		m.each(func(i int64, e *trace.Event) { w.Step(i, e) })
		fmt.Printf("%+v\n", w.Stats())
	case "window":
		b := window.NewBuilder(window.BuildOptions{Meta: in.Meta()}, func(*built.Window) error { return nil })
		m.each(func(i int64, e *trace.Event) { command.Check(b.Add(i, e, flow.Flow{})) })
		command.Check(b.Flush(nil))
		fmt.Printf("%+v\n", b.Counts())
	case "all":
		o.analyse(m)
	default:
		return false
	}
	m.line()
	return true
}

// analyse is the whole analysis.
func (o *options) analyse(m *meter) {
	opt := predict.Options{Level: map[string]predict.Level{"causal": predict.Causal, "value": predict.Value, "path": predict.Paths}[o.level]}
	var w *walk.Walker
	if m.Meta().Source == "presage" {
		w = o.walker(m.in)
		opt.Walker = w
	}
	res, err := predict.Run(context.Background(), m, m.Meta(), opt)
	command.Check(err)
	fmt.Printf("%d races, %+v\n", len(res.Races), res.Counts)
	if w != nil {
		fmt.Printf("walk: %+v\n", w.Stats())
	}
	for _, w := range res.Warnings {
		fmt.Printf("warning %s: %s\n", w.Code, w.Text)
	}
}

func (o *options) walker(in *source.File) *walk.Walker {
	p, err := walk.Load(context.Background(), in.Meta())
	command.Check(err)
	switch o.level {
	case "value":
		return walk.NewSymbolic(p)
	case "path":
		return walk.NewBranching(p)
	}
	return walk.New(p)
}
