// Package goroot runs the programs of $GOROOT/test whose first line is "// run", as plain programs
// and under presage run -level none, and walks what was recorded. A program is the same if its
// exit code and its output are, frames of stack traces aside, and if its walk agrees with its
// source.
//
//	go -C bench run ./suites goroot [-run regexp] [-presage command] [-state file]
//		[-timeout 1m] [-v]
//
// Standard output and standard error go to one pipe, so that their order counts too. Lines are
// compared up to goroutine numbers, addresses and times. A program whose plain output varies from
// run to run is counted as varying, and only its exit code is compared. exceptions.txt lists the
// programs that differ, with their reasons.
//
// A program that is built with -race is built so plain, and without it under presage, which takes
// its place.
//
// With -state, a program that has a result in the file is not run again.
//
// The exit code is 1 if a program differs that is not listed.
package goroot

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

//go:embed exceptions.txt
var exceptions string

// Main runs the programs that match.
func Main(args []string) int {
	flags := command.Flags("suites goroot", "[-run regexp] [-presage command] [-state file] [-timeout 1m] [-v]")
	match := flags.String("run", "", "only files that match")
	built := command.Presage(flags)
	stateName := flags.String("state", "", "file that keeps the results")
	limit := flags.Duration("timeout", time.Minute, "time limit for one run of a program; four times as long under presage")
	verbose := flags.Bool("v", false, "a line for each program")
	flags.Parse(args)
	command.NoArgs(flags)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, *match, *built, *stateName, *limit, *verbose)
	command.Check(err)
	return code
}

func run(ctx context.Context, match, built, stateName string, limit time.Duration, verbose bool) (code int, err error) {
	re, err := regexp.Compile(match)
	if err != nil {
		return 0, err
	}
	known, err := parseExceptions(exceptions)
	if err != nil {
		return 0, err
	}
	state, err := session.OpenState[result](stateName)
	if err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return 0, err
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "test")
	programs, err := find(root, re)
	if err != nil {
		return 0, err
	}
	if len(programs) == 0 {
		return 0, fmt.Errorf("no programs in %s", root)
	}
	dir, err := os.MkdirTemp("", "presage-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	t := &tester{dir: dir, limit: limit}
	if t.Session, err = session.With(ctx, dir, built); err != nil {
		return 0, err
	}
	sum := &sums{known: known, outcomes: map[string]int{}}
	for _, p := range programs {
		r := earlier(state, p.name)
		if r == nil {
			if r, err = t.program(ctx, p); err != nil {
				return 0, fmt.Errorf("%s: %w", p.name, err)
			}
			if err := state.Add(r); err != nil {
				return 0, err
			}
		}
		sum.add(r, verbose)
	}
	return sum.print(), nil
}

func earlier(s *session.State[result], name string) *result {
	for _, r := range s.Rows {
		if r.Name == name {
			return r
		}
	}
	return nil
}
