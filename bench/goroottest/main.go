// Command goroottest runs the programs of $GOROOT/test whose first line is "// run", as plain
// programs and under presage run -level none, and walks what was recorded. A program is the same if
// its exit code and its output are, frames of stack traces aside, and if its walk agrees with its
// source.
//
//	go run ./bench/goroottest [-run regexp] [-presage command] [-state file] [-timeout 1m] [-v]
//
// Standard output and standard error go to one pipe, so their order counts too. Lines are compared
// up to goroutine numbers, addresses and times. A program whose plain output varies from run to run
// varies: it is counted, and only its exit code is compared. exceptions.txt lists the programs that
// differ, with their reasons.
//
// A program that is built with -race is built so plain, and without it under presage, which takes
// its place.
//
// With -state, what has a result in the file is not run again.
//
// The exit code is 1 if a program differs that is not listed, 2 if the command failed.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/session"
)

//go:embed exceptions.txt
var exceptions string

func main() {
	log.SetFlags(0)
	log.SetPrefix("goroottest: ")
	match := flag.String("run", "", "only files that match")
	command := flag.String("presage", "", "the presage command; default: built from this checkout")
	stateName := flag.String("state", "", "file that keeps the results")
	limit := flag.Duration("timeout", time.Minute, "of one run of a program; under presage four times that")
	verbose := flag.Bool("v", false, "a line for each program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, *match, *command, *stateName, *limit, *verbose)
	if err != nil {
		log.Print(err)
		code = 2
	}
	os.Exit(code)
}

func run(ctx context.Context, match, command, stateName string, limit time.Duration, verbose bool) (code int, err error) {
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
	if t.Session, err = newSession(ctx, dir, command); err != nil {
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

// newSession builds presage if it is not given.
func newSession(ctx context.Context, dir, command string) (*session.Session, error) {
	if command == "" {
		return session.New(ctx, dir)
	}
	command, err := filepath.Abs(command)
	return &session.Session{Presage: command, Dir: dir}, err
}

func earlier(s *session.State[result], name string) *result {
	for _, r := range s.Rows {
		if r.Name == name {
			return r
		}
	}
	return nil
}
