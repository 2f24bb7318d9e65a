// Package audit compares every read of outside code with its recorded writer. It finds memory
// that code without access hooks has written: assembly, the runtime, functions that the compiler
// gives no hooks, and models that are missing.
//
//	go -C bench run ./recorder audit [-dir scratch] [-only name] [-keep]
//
// The suites are those of suites.txt: programs of programs/audit and tests of modules. Each
// is recorded with every access of outside code and its value (PRESAGE_OUTSIDE=audit). A line of
// the table has
//
//	events    of all traces of the suite
//	compared  reads of outside code (words of a wide one singly) compared with a recorded writer
//	zero      those of them whose writer is the allocator
//	initial   first accesses to their memory on record: what they saw is its initial value
//	racy      reads with an unordered write, or of unordered writes: not compared
//	no value  writes of outside code without a value: the header of a map or a channel
//	known     mismatches that a line of known.txt explains
//	mismatch  the others
//
// For each kind of mismatch follows a line: the function and place of the read, how often, what was
// recorded and read for the first one, and the function and place of the recorded writer.
//
// The exit code is 1 if there are mismatches that known.txt does not have, or if records are
// missing.
package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace"
)

// Main audits the suites.
func Main(args []string) int {
	flags := command.Flags("recorder audit", "[-only name] [-keep] [-dir scratch]")
	dir := command.Dir(flags)
	only := flags.String("only", "", "only the suite of this name")
	keep := flags.Bool("keep", false, "keep the traces")
	flags.Parse(args)
	command.NoArgs(flags)
	good, err := run(context.Background(), *dir, *only, *keep)
	command.Check(err)
	return command.Code(good)
}

// run audits the suites, or the one named only. It reports whether all is explained.
func run(ctx context.Context, dir, only string, keep bool) (good bool, err error) {
	s, err := session.New(ctx, dir)
	if err != nil {
		return false, err
	}
	list, err := parse(suites)
	if err != nil {
		return false, err
	}
	table, err := parseKnown(known)
	if err != nil {
		return false, err
	}
	fmt.Println("suite                      events    compared        zero    initial       racy   no value   known  mismatch")
	good, some := true, false
	for _, u := range list {
		if only != "" && only != u.name {
			continue
		}
		some = true
		t, err := u.audit(ctx, s, keep)
		if err != nil {
			return false, err
		}
		good = table.print(u.name, t) && good
	}
	if !some {
		return false, fmt.Errorf("no suite %q", only)
	}
	return good, nil
}

// audit records a suite and compares its reads.
func (u *suite) audit(ctx context.Context, s *session.Session, keep bool) (*tally, error) {
	dir, err := u.dir(ctx, s)
	if err != nil {
		return nil, err
	}
	verb := "test"
	if u.program {
		verb = "run"
	}
	return u.recorded(ctx, s, dir, verb, keep)
}

// recorded records `presage verb args...` in dir and compares the reads.
func (u *suite) recorded(ctx context.Context, s *session.Session, dir, verb string, keep bool) (*tally, error) {
	kept := filepath.Join(s.Dir, u.name+".audit")
	if err := removeAll(kept); err != nil {
		return nil, err
	}
	if !keep {
		defer removeAll(kept)
	}
	code, text, err := s.Run(ctx, dir, []string{recorder.EnvOutside + "=" + recorder.OutsideAudit}, append([]string{verb, "-level", "none", "-o", kept}, u.args...)...)
	if err != nil {
		return nil, err
	}
	t, err := compareAll(kept)
	if err == nil && t.traces == 0 {
		err = errors.New("no trace")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w, exit code %d\n%s", u.name, err, code, text)
	}
	t.failed = code != 0
	return t, nil
}

func removeAll(kept string) error {
	files, err := filepath.Glob(kept + "*")
	for _, f := range files {
		err = errors.Join(err, os.RemoveAll(f))
	}
	return err
}

// compareAll compares the reads of the traces that -o has kept under a name.
func compareAll(kept string) (*tally, error) {
	t := &tally{}
	for _, pattern := range []string{kept, kept + "/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			if info, err := os.Stat(name); err != nil || info.IsDir() {
				continue
			}
			if err := t.file(name); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

func (t *tally) file(name string) error {
	src, err := trace.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := t.compare(src); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// print prints the line of a suite and its mismatches. It reports whether all is explained.
func (k knownTable) print(name string, t *tally) bool {
	var lines []string
	explained, others := 0, 0
	for _, m := range t.mismatches() {
		if reason := k.reason(m); reason != "" {
			explained += m.count
			lines = append(lines, fmt.Sprintf("\tknown: %v (%s)", m, reason))
			continue
		}
		others += m.count
		lines = append(lines, fmt.Sprintf("\t%v", m))
	}
	fmt.Printf("%-20s %12d %11d %11d %10d %10d %10d %7d %9d\n", name, t.events, t.compared, t.zero, t.initial, t.racy, t.valueless, explained, others)
	if len(lines) > 0 {
		fmt.Println(strings.Join(lines, "\n"))
	}
	if t.failed {
		fmt.Println("\tthe suite has failed, and was audited as far as it went")
	}
	for _, w := range t.lost {
		fmt.Printf("\t%s: %d %s\n", w.Code, w.Count, w.Text)
	}
	return others == 0 && len(t.lost) == 0
}
