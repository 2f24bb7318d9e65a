package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/inside"
	"github.com/presage-race/presage/internal/record/recorder"
)

// samples is how often the memory of program soak is looked at.
const samples = 60

// slack is how much more the last third may have at its peak than the second: the garbage
// collector's timing.
const slack = 1.10

// soak runs program soak with the detector inside, and as it is, and compares their memory over
// time: it may grow while what is alive is made, and not after the first third.
func soak(ctx context.Context, b *inside.Builder, length time.Duration, tree bool) error {
	var grown error
	for _, mode := range []string{inside.Plain, inside.Online} {
		bin := filepath.Join(b.Dir, "soak."+mode)
		if err := b.Build(mode, ".", "./bench/online/programs/soak", bin, false); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, bin, length.String())
		cmd.Stderr = os.Stderr
		if !tree {
			cmd.Env = append(os.Environ(), recorder.EnvFilter+"=none")
		}
		mb, rounds, err := sampled(cmd, length/samples)
		if err != nil {
			return err
		}
		third := len(mb) / 3
		peaks := [3]float64{peak(mb[:third]), peak(mb[third : 2*third]), peak(mb[2*third:])}
		fmt.Printf("%s: %v, %s; peak of each third %.0f, %.0f, %.0f MB; samples:", mode, length, rounds, peaks[0], peaks[1], peaks[2])
		for i := 0; i < len(mb); i += max(1, len(mb)/20) {
			fmt.Printf(" %.0f", mb[i])
		}
		fmt.Println()
		if mode == inside.Online && peaks[2] > slack*max(peaks[0], peaks[1]) {
			grown = fmt.Errorf("it grows")
		}
	}
	return grown
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
