// Package firsthour measures what a new user waits for: `presage test ./...` in a module that
// presage was not tried on before, with an empty cache of presage, and then once more.
//
//	go -C bench run ./suites firsthour
//
// The time is from the start of the command to its report, which has the first result. Go's own
// build cache is as it is. Each row has the wall and the CPU time of both runs, the time that the
// tests need without presage, the races, and the number of lines of the report without the output
// of the tests. The exit code is 1 if a first run takes longer than asked.
package firsthour

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// subjects are modules with goroutines, in the order in which they were tried.
var subjects = []struct{ path, version string }{
	{"github.com/cskr/pubsub/v2", "v2.0.2"},
	{"github.com/reugn/go-quartz", "v0.15.2"},
	{"github.com/go-co-op/gocron/v2", "v2.21.2"},
}

// asked is the longest time to the first result.
const asked = 90 * time.Second

// Main runs presage in each module.
func Main(args []string) int {
	flags := command.Flags("suites firsthour", "[flags]")
	dir := flags.String("dir", "", "scratch directory; empty: a fresh one")
	flags.Parse(args)
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	if err != nil {
		log.Print(err)
		return 2
	}
	code := 0
	for _, m := range subjects {
		module, err := s.Module(ctx, m.path, m.version)
		if err == nil {
			var first time.Duration
			if first, err = measure(s, module); first > asked {
				code = 1
			}
		}
		if err != nil {
			log.Printf("%s: %v", m.path, err)
			return 2
		}
	}
	return code
}

// measure prints the row of a module, and returns the time of the first run.
func measure(s *session.Session, dir string) (time.Duration, error) {
	cache := filepath.Join(s.Dir, "cache-"+filepath.Base(dir))
	if err := os.RemoveAll(cache); err != nil {
		return 0, err
	}
	plain, _, err := timed(dir, cache, "go", "test", "-count=1", "./...")
	if err != nil {
		return 0, err
	}
	first, used, err := timed(dir, cache, s.Presage, "test", "./...")
	if err != nil {
		return 0, err
	}
	second, again, err := timed(dir, cache, s.Presage, "test", "./...")
	if err != nil {
		return 0, err
	}
	report := exec.Command(s.Presage, "report")
	report.Dir, report.Env = dir, append(os.Environ(), "PRESAGE_CACHE="+cache)
	text, _ := report.Output() // exit code 3 for races
	fmt.Printf("%-12s first %.0f s, CPU %.0f s; second %.0f s, CPU %.0f s; tests alone %.0f s; %d lines, the last: %s\n", filepath.Base(dir),
		first.Seconds(), used.Seconds(), second.Seconds(), again.Seconds(), plain.Seconds(), bytes.Count(text, []byte("\n")), lastLine(text))
	return first, nil
}

func lastLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// timed runs a command and returns its wall and CPU time. Tests that fail and races are no error.
func timed(dir, cache string, argv ...string) (wall, cpu time.Duration, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PRESAGE_CACHE="+cache)
	begun := time.Now()
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil
	}
	if err == nil {
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return time.Since(begun), cpu, err
}
