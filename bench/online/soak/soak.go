// Package soak runs a program that makes and drops goroutines, maps, channels and buffers, with the
// detector of presage -online inside, and as it is. It samples the memory of both: it must not grow
// after the first third.
//
//	go -C bench run ./online soak [-time 5m] [-filter tree|none] [-dir scratch]
//
// The exit code is 1 if memory grows.
package soak

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/inside"
	"github.com/presage-race/presage/internal/record/recorder"
)

// samples is how often the memory of program soak is looked at.
const samples = 60

// slack is how much more the last third may have at its peak than the second: the garbage
// collector's timing.
const slack = 1.10

// Main samples the program.
func Main(args []string) int {
	flags := command.Flags("online soak", "[-time 5m] [-filter tree|none] [-dir scratch]")
	length := flags.Duration("time", 5*time.Minute, "how long the program runs")
	filter := flags.String("filter", "tree", "filter of the detector: tree or none")
	dir := command.Dir(flags)
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	b, err := inside.New(context.Background(), *dir)
	command.Check(err)
	if *dir == "" {
		defer os.RemoveAll(b.Dir)
	}
	grown, err := soak(context.Background(), b, *length, *filter == "tree", figures)
	command.Check(err)
	if grown {
		log.Print("the memory grows")
	}
	return command.Code(!grown)
}

// soak runs program soak with the detector inside, and as it is, and compares their memory over
// time: it may grow while what is alive is made, and not after the first third.
func soak(ctx context.Context, b *inside.Builder, length time.Duration, tree bool, figures *command.Figures) (grown bool, err error) {
	for _, mode := range []string{inside.Plain, inside.Online} {
		bin := filepath.Join(b.Dir, "soak."+mode)
		if err := b.Build(mode, ".", "./programs/online/soak", bin, false); err != nil {
			return false, err
		}
		cmd := exec.CommandContext(ctx, bin, length.String())
		cmd.Stderr = os.Stderr
		if !tree {
			cmd.Env = append(os.Environ(), recorder.EnvFilter+"=none")
		}
		mb, rounds, err := sampled(cmd, length/samples)
		if err != nil {
			return false, err
		}
		third := len(mb) / 3
		peaks := [3]float64{peak(mb[:third]), peak(mb[third : 2*third]), peak(mb[2*third:])}
		fmt.Printf("%s: %v, %s; peak of each third %.0f, %.0f, %.0f MB; samples:", mode, length, rounds, peaks[0], peaks[1], peaks[2])
		for i := 0; i < len(mb); i += max(1, len(mb)/20) {
			fmt.Printf(" %.0f", mb[i])
		}
		fmt.Println()
		figures.Print("build="+mode, command.Figure{Value: peaks[0], Unit: "first-peak-MB"}, command.Figure{Value: peaks[1], Unit: "second-peak-MB"}, command.Figure{Value: peaks[2], Unit: "third-peak-MB"})
		if mode == inside.Online && peaks[2] > slack*max(peaks[0], peaks[1]) {
			grown = true
		}
	}
	return grown, nil
}

// sampled runs a program and returns its resident memory in MB at each step, and what it has
// printed.
func sampled(cmd *exec.Cmd, step time.Duration) (mb []float64, out string, err error) {
	var text strings.Builder
	cmd.Stdout = &text
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			if err == nil && len(mb) < 3 {
				err = fmt.Errorf("only %d samples", len(mb))
			}
			return mb, strings.TrimSpace(text.String()), err
		case <-time.After(step):
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid))
			if fields := strings.Fields(string(data)); err == nil && len(fields) > 1 {
				pages, _ := strconv.ParseFloat(fields[1], 64)
				mb = append(mb, pages*float64(os.Getpagesize())/(1<<20))
			}
		}
	}
}

func peak(list []float64) (m float64) {
	for _, x := range list {
		m = max(m, x)
	}
	return m
}
