// Package keptruns checks that the runs in the cache stay apart and whole: a run of one module
// never takes the place of another module's, and a killed presage replaces no finished run.
//
//	go -C bench run ./recorder keptruns [-pairs 20] [-kills 50] [-seed 1] [-dir scratch]
//
// First, two presage commands run at once: on two modules, and every fourth time on one. Then
// presage is killed with SIGKILL at random moments. Every second kill is of a run on a module that
// was edited and is instrumented anew. After each step, every run that is kept has a whole report,
// of its own module, with traces that can be read to the end. In each module presage report prints
// the module's own race. Processes that a killed presage has started run on, as they do for a
// user.
//
// The exit code is 1 if a run is not as it should be.
package keptruns

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/trace"
)

// Main runs presage twice at once, and then kills it.
func Main(args []string) int {
	flags := command.Flags("recorder keptruns", "[-pairs n] [-kills n] [-seed s] [-dir scratch]")
	dir := command.Dir(flags)
	pairs := flags.Int("pairs", 20, "pairs of runs at once")
	kills := flags.Int("kills", 50, "kills of presage")
	seed := flags.Uint64("seed", 1, "seed of the moments of the kills")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	s, err := session.New(context.Background(), *dir)
	command.Check(err)
	b, err := newBench(s)
	command.Check(err)
	apart := b.atOnce(*pairs)
	whole, within := b.killed(*kills, rand.New(rand.NewPCG(*seed, 0)))
	err = b.after()
	fmt.Printf("%d of %d pairs of runs at once: each report of its own module, and whole\n", apart, *pairs)
	fmt.Printf("%d of %d kills, %d of them before the run had finished: no finished run lost, each report of its own module, and whole\n", whole, *kills, within)
	if err != nil {
		fmt.Printf("afterwards: %v\n", err)
	}
	figures.Print("all", command.Count(*pairs, "pairs"), command.Count(apart, "pairs-apart"), command.Count(*kills, "kills"), command.Count(whole, "kills-whole"))
	return command.Code(apart == *pairs && whole == *kills && err == nil)
}

// bench has two modules, with a race each.
type bench struct {
	s       *session.Session
	cache   string
	modules []string // directories, named as the modules are
	took    time.Duration
}

const source = `package %[1]s

import "testing"

var Race%[1]s int

func Test(t *testing.T) {
	done := make(chan bool)
	go func() { Race%[1]s = 1; close(done) }()
	Race%[1]s = 2
	<-done
}
`

// newBench makes the modules, and runs each once, so that builds are kept.
func newBench(s *session.Session) (*bench, error) {
	b := &bench{s: s, cache: filepath.Join(s.Dir, "cache")}
	if err := os.RemoveAll(b.cache); err != nil {
		return nil, err
	}
	for _, name := range []string{"alpha", "beta"} {
		dir := filepath.Join(s.Dir, name)
		b.modules = append(b.modules, dir)
		err := errors.Join(os.MkdirAll(dir, 0o777),
			os.WriteFile(filepath.Join(dir, "go.mod"), fmt.Appendf(nil, "module example.com/%s\n\ngo 1.25\n", name), 0o666), edit(dir, 0))
		if err != nil {
			return nil, err
		}
		for range 2 { // the second is as those that are killed
			begun := time.Now()
			if err := b.test(dir).Run(); exitCode(err) != 3 {
				return nil, fmt.Errorf("%s: %w", dir, err)
			}
			b.took = time.Since(begun)
		}
	}
	return b, nil
}

// edit writes the test of a module, with a number of its own: then it is instrumented anew.
func edit(dir string, n int) error {
	name := filepath.Base(dir)
	return os.WriteFile(filepath.Join(dir, name+"_test.go"), fmt.Appendf(nil, source+"\n// edit %[2]d\n", name, n), 0o666)
}

func exitCode(err error) int {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

func (b *bench) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(b.s.Presage, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PRESAGE_CACHE="+b.cache)
	return cmd
}

func (b *bench) test(dir string) *exec.Cmd { return b.command(dir, "test", "-q", ".") }

// atOnce runs presage twice at once, and returns how often all was well.
func (b *bench) atOnce(n int) (well int) {
	for i := range n {
		dirs := slices.Clone(b.modules)
		if i%4 == 3 {
			dirs[1] = dirs[0]
		}
		var cmds []*exec.Cmd
		var out []*bytes.Buffer
		var err error
		for _, dir := range dirs {
			cmd, text := b.test(dir), new(bytes.Buffer)
			cmd.Stdout, cmd.Stderr = text, text
			err = errors.Join(err, cmd.Start())
			cmds, out = append(cmds, cmd), append(out, text)
		}
		for i, cmd := range cmds {
			if exitCode(cmd.Wait()) != 3 || !ownRace(out[i].Bytes(), dirs[i]) {
				err = errors.Join(err, fmt.Errorf("in %s:\n%s", dirs[i], out[i]))
			}
		}
		_, more := b.check()
		if err = errors.Join(err, more); err == nil {
			well++
		}
		fmt.Printf("pair %2d of %s and %s: %s\n", i, filepath.Base(dirs[0]), filepath.Base(dirs[1]), verdict(err))
	}
	return well
}

func verdict(err error) string {
	if err == nil {
		return "ok"
	}
	return err.Error()
}

// killed kills presage at random moments, and returns how often all was well, and how often the run
// had not finished.
func (b *bench) killed(n int, r *rand.Rand) (well, within int) {
	for i := range n {
		dir := b.modules[r.IntN(2)]
		before, err := b.check()
		cmd := b.test(dir)
		most := b.took * 5 / 4
		if i%2 == 1 {
			most *= 2
			err = errors.Join(err, edit(dir, i))
		}
		delay := time.Duration(r.Int64N(int64(most)))
		err = errors.Join(err, cmd.Start())
		time.Sleep(delay)
		cmd.Process.Kill()
		finished := exitCode(cmd.Wait()) == 3
		after, more := b.check()
		err = errors.Join(err, more)
		if !finished {
			within++
			if !newer(after, before) && !slices.Equal(after, before) {
				err = errors.Join(err, fmt.Errorf("finished runs were %v, and are %v", before, after))
			}
		}
		if err == nil {
			well++
		}
		fmt.Printf("kill %2d of %s after %v, finished %v: %s\n", i, filepath.Base(dir), delay.Round(time.Millisecond), finished, verdict(err))
	}
	return well, within
}

// newer reports whether a run has been added: the killed presage had written its report.
func newer(after, before []string) bool {
	return slices.ContainsFunc(after, func(id string) bool { return !slices.Contains(before, id) })
}

// A run is one of presage runs -json.
type run struct {
	ID, Dir, Root, State, Verdict, Why string
	Races                              int
}

// check looks at all runs that are kept, and at the last one of each module. It returns the IDs of
// those that have finished.
func (b *bench) check() (finished []string, err error) {
	text, err := b.command(b.s.Dir, "runs", "-all", "-json").Output()
	if err != nil {
		return nil, fmt.Errorf("presage runs: %w", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var r run
		if e := dec.Decode(&r); e == io.EOF {
			break
		} else if e != nil {
			return nil, e
		}
		if r.State != "finished" {
			continue
		}
		finished = append(finished, r.ID)
		err = errors.Join(err, b.checkRun(&r))
	}
	for _, dir := range b.modules {
		text, e := b.command(dir, "report").CombinedOutput()
		if exitCode(e) != 3 || !ownRace(text, dir) {
			err = errors.Join(err, fmt.Errorf("presage report in %s:\n%s", dir, text))
		}
	}
	return finished, err
}

// checkRun reports what is wrong with a run.
func (b *bench) checkRun(r *run) error {
	if r.Verdict != "races" || r.Races != 1 || !slices.Contains(b.modules, r.Root) {
		return fmt.Errorf("run %s of %s: %s %s, %d races", r.ID, r.Root, r.Verdict, r.Why, r.Races)
	}
	text, err := b.command(b.s.Dir, "report", "-run-id", r.ID).CombinedOutput()
	if exitCode(err) != 3 || !ownRace(text, r.Root) {
		return fmt.Errorf("report of run %s of %s:\n%s", r.ID, r.Root, text)
	}
	traces, _ := filepath.Glob(filepath.Join(r.Dir, "*.trace"))
	if len(traces) != 1 {
		return fmt.Errorf("run %s has %d traces", r.ID, len(traces))
	}
	return readTrace(traces[0], r.Root)
}

// readTrace reads a trace to its end, and compares its directory.
func readTrace(name, root string) error {
	f, err := trace.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if dir := f.Meta().Dir; dir != root {
		return fmt.Errorf("%s is of %s, not of %s", name, dir, root)
	}
	var e trace.Event
	for err == nil {
		err = f.Next(&e)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// ownRace reports whether a report is whole and has the race of one module, and no other.
func ownRace(text []byte, dir string) bool {
	name := filepath.Base(dir)
	for _, other := range []string{"alpha", "beta"} {
		if has := strings.Contains(string(text), "on global "+other+".Race"+other); has != (other == name) {
			return false
		}
	}
	return strings.Contains(string(text), "presage: 1 race found: ")
}

// after runs each module once more: what killed processes left is removed, and nothing was damaged.
func (b *bench) after() error {
	var err error
	for _, dir := range b.modules {
		text, e := b.test(dir).CombinedOutput()
		if exitCode(e) != 3 || !ownRace(text, dir) || strings.Contains(string(text), "made anew") {
			err = errors.Join(err, fmt.Errorf("in %s:\n%s", dir, text))
		}
	}
	left, _ := os.ReadDir(filepath.Join(b.cache, "runs"))
	finished, e := b.check()
	if len(left) != len(finished) {
		err = errors.Join(err, fmt.Errorf("%d directories of runs, %d finished", len(left), len(finished)))
	}
	return errors.Join(err, e)
}
