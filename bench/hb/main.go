// Hb measures the passes over a large trace: CPU time and memory of the process,
// reading included, beside what was found.
//
//	go run ./bench/gentrace -events 10000000 > t.std
//	go run ./bench/hb t.std                  # the happens-before pass
//	go run ./bench/hb -level causal t.std    # and prediction
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

func main() {
	level := flag.String("level", "hb", "hb or causal")
	size := flag.Int("window", 0, "events of a window; 0: the default")
	limit := flag.Int64("n", 0, "events to read; 0: all")
	walks := flag.Bool("walk", false, "walk the trace through the program, as presage analyze does")
	prof := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if flag.NArg() != 1 || *level != "hb" && *level != "causal" {
		flag.Usage()
		os.Exit(2)
	}
	if *prof != "" {
		f, err := os.Create(*prof)
		check(err)
		check(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
	}
	in, err := source.Open(flag.Arg(0))
	check(err)
	defer in.Close()
	opt := predict.Options{Level: predict.HB, Window: *size}
	if *level == "causal" {
		opt.Level = predict.Causal
	}
	if *walks {
		p, err := walk.Load(context.Background(), in.Meta())
		check(err)
		opt.Walker = walk.New(p)
	}
	res, err := predict.Run(context.Background(), &prefix{in, *limit + min(1, *limit)}, in.Meta(), opt)
	check(err)
	report(res, in.Meta())
}

// prefix ends before event left, if that is positive.
type prefix struct {
	*source.File
	left int64
}

func (p *prefix) Next(e *trace.Event) error {
	if p.left == 1 {
		return io.EOF
	}
	p.left--
	return p.File.Next(e)
}

func report(res *predict.Result, meta *trace.Meta) {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	cpu := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	c := &res.Counts
	fmt.Printf("%d events, %.2f s CPU, %.2f million events/s, %d MB\n",
		c.Events, cpu.Seconds(), float64(c.Events)/cpu.Seconds()/1e6, u.Maxrss>>10)
	fmt.Printf("hb: %d pairs of sites, %d pairs of accesses\n", c.HBSites, c.HBPairs)
	fmt.Printf("causal: %d windows, %d events in them, %d candidate pairs, %d locked, %d tried, %d raced, %d refuted, %d unknown, %d rejected\n",
		c.Windows, c.InWindows, c.Candidates, c.Locked, c.Tried, c.Raced, c.Refuted, c.Unknown, c.Rejected)
	fmt.Printf("layers: %v, conflicts %d\n", c.Layers, c.Conflicts)
	for _, r := range res.Races {
		fmt.Printf("race %s/%s, events %d and %d, %v, %d pairs\n", meta.Sites[r.A.Site].Name, meta.Sites[r.B.Site].Name, r.A.Index, r.B.Index, r.Tier, r.Count)
	}
	for _, w := range res.Warnings {
		fmt.Printf("warning %s: %s\n", w.Code, w.Text)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "hb:", err)
		os.Exit(1)
	}
}
