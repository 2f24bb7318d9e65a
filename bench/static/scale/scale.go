// Package scale measures presage vet on programs of millions of lines: the first run, a run in
// which nothing has changed, runs after an edit of one line (in a package that nothing imports but
// commands, and in one that nearly all import), and two shards with a link. It fails if the shards'
// report is not that of one process, byte for byte.
//
//	go -C bench run ./static scale [-only kubernetes] [-dir scratch] [-sample 30 -seed 1]
//
// Asked are, with 2 processors: Kubernetes at most 15 minutes and 14 GiB for the first run, 90 s
// beyond loading after an edit; Prometheus at most 15 minutes. Wall time and processor time are
// printed with the largest memory of the process, and with the number of warnings.
//
// With -sample it only runs once, and prints a random sample of the default tier's warnings on
// Kubernetes' own packages, to be judged from source (docs/results.md).
//
// The modules come from the module proxy; what is edited is copied into the scratch directory.
package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// program is one that is measured.
type program struct {
	name     string
	module   string
	version  string
	staging  string // version of the modules that the module replaces by directories of its own
	patterns []string
	copies   []string // modules that are copied, to be edited
	edits    []edit
}

// edit is an edit of one line.
type edit struct{ what, module, file, from, to string }

var programs = []program{
	{
		name: "kubernetes", module: "k8s.io/kubernetes", version: "v1.36.1", staging: "v0.36.1",
		patterns: []string{"k8s.io/kubernetes/cmd/...", "k8s.io/kubernetes/pkg/...", "k8s.io/kubernetes/plugin/..."},
		copies:   []string{"k8s.io/kubernetes", "k8s.io/apimachinery"},
		edits: []edit{
			{"a line of a package that a command imports", "k8s.io/kubernetes", "pkg/kubelet/pleg/generic.go", "package pleg\n", "package pleg\n\nvar edited int\n"},
			{"a statement of it", "k8s.io/kubernetes", "pkg/kubelet/pleg/generic.go", "g.relistLock.Lock()\n", "edited++; g.relistLock.Lock()\n"},
			{"a comment of a package that nearly all import", "k8s.io/apimachinery", "pkg/util/wait/backoff.go", "package wait\n", "package wait\n\n// A line more.\n"},
			{"a declaration of it", "k8s.io/apimachinery", "pkg/util/wait/backoff.go", "package wait\n", "package wait\n\nvar edited int\n"},
		},
	},
	{
		name: "prometheus", module: "github.com/prometheus/prometheus", version: "v0.314.0",
		patterns: []string{"github.com/prometheus/prometheus/..."},
	},
}

// Main measures the programs, or prints a sample of warnings.
func Main(args []string) int {
	flags := command.Flags("static scale", "[-only kubernetes|prometheus] [-sample n [-seed s]] [-dir scratch]")
	only := flags.String("only", "", "measure only this program")
	dir := command.Dir(flags)
	size := flags.Int("sample", 0, "print this many warnings of Kubernetes' own packages, and measure nothing more")
	seed := flags.Uint64("seed", 1, "seed of the sample")
	flags.Parse(args)
	command.NoArgs(flags)
	scratch, err := session.Scratch(*dir)
	command.Check(err)
	if *dir == "" {
		defer os.RemoveAll(scratch)
	}
	presage := filepath.Join(scratch, "presage")
	command.Check(session.Build(context.Background(), presage))
	for _, p := range programs {
		if *size > 0 && len(p.copies) == 0 {
			continue
		}
		if *only == "" || *only == p.name {
			if err := measure(p, presage, filepath.Join(scratch, p.name), *size, *seed); err != nil {
				return command.Fail(fmt.Errorf("%s: %w", p.name, err))
			}
		}
	}
	return 0
}

// measure runs all that the command measures on one program.
func measure(p program, presage, dir string, size int, seed uint64) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := prepare(p, dir); err != nil {
		return err
	}
	m := &machine{presage, dir, p.patterns}
	store := filepath.Join(dir, "store")
	os.RemoveAll(store)
	first, err := m.run(p.name+", first run", "-store="+store)
	if err != nil {
		return err
	}
	if size > 0 {
		return sample(first, filepath.Join(dir, "copies", filepath.Base(p.module)), size, seed)
	}
	again, err := m.run("nothing changed", "-store="+store)
	if err != nil {
		return err
	}
	if !bytes.Equal(first, again) {
		return fmt.Errorf("the second report is not the first")
	}
	for _, e := range p.edits {
		if err := m.edited(e, store); err != nil {
			return err
		}
	}
	return m.shards(first, filepath.Join(dir, "shards"))
}

// prepare makes a module that requires the program, with copies of what is edited.
func prepare(p program, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	mod := fmt.Sprintf("module measured\n\ngo 1.25\n\nrequire %s %s\n", p.module, p.version)
	source, err := download(dir, p.module+"@"+p.version)
	if err != nil {
		return err
	}
	replaced := map[string]string{}
	var order []string
	if p.staging != "" {
		text, err := os.ReadFile(filepath.Join(source, "go.mod"))
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`(?m)^\s*(\S+) => \./staging`).FindAllStringSubmatch(string(text), -1) {
			replaced[m[1]] = p.staging
			order = append(order, m[1])
		}
	}
	for _, c := range p.copies {
		from := source
		if c != p.module {
			if from, err = download(dir, c+"@"+p.staging); err != nil {
				return err
			}
		}
		to := filepath.Join(dir, "copies", filepath.Base(c))
		os.RemoveAll(to)
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			return err
		}
		if replaced[c] == "" {
			order = append(order, c)
		}
		replaced[c] = "./copies/" + filepath.Base(c)
	}
	for _, m := range order {
		v := replaced[m]
		if !strings.HasPrefix(v, ".") {
			v = m + " " + v
		}
		mod += fmt.Sprintf("replace %s => %s\n", m, v)
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666)
}

// download fetches a module and returns its directory.
func download(dir, module string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module measured\n"), 0o666); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("downloading %s: %w", module, err)
	}
	var info struct{ Dir string }
	return info.Dir, json.Unmarshal(out, &info)
}

// machine runs presage vet.
type machine struct {
	presage, dir string
	patterns     []string
}

func (m *machine) command(flags ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	args := append([]string{"vet", "-tests=false", "-json"}, flags...)
	cmd := exec.Command(m.presage, append(args, m.patterns...)...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	return cmd, &stdout, &stderr
}

// run runs once, prints the figures and returns the report.
func (m *machine) run(what string, flags ...string) ([]byte, error) {
	cmd, stdout, stderr := m.command(flags...)
	begin := time.Now()
	if err := finished(cmd.Run(), stderr); err != nil {
		return nil, err
	}
	figures(what, begin, cmd, stdout, stderr)
	_, report, _ := bytes.Cut(stdout.Bytes(), []byte("\n")) // without the line that has the command
	return report, nil
}

// finished lets the exit codes pass that say that there are warnings, or packages that did not load
// whole.
func finished(err error, stderr *bytes.Buffer) error {
	if exit, ok := err.(*exec.ExitError); ok && (exit.ExitCode() == 3 || exit.ExitCode() == 1 && bytes.Contains(stderr.Bytes(), []byte("summaries: "))) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, stderr)
	}
	return nil
}

var made = regexp.MustCompile(`summaries: \d+ made, \d+ found`)

func figures(what string, begin time.Time, cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Printf("%-50s wall %6.1f s, of processors %6.1f s, memory at most %5d MB; %s; warnings %d\n", what, time.Since(begin).Seconds(),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), use.Maxrss>>10, made.Find(stderr.Bytes()), bytes.Count(stdout.Bytes(), []byte(`"tier":"warning"`)))
}

// edited edits a line, runs, and takes the edit back.
func (m *machine) edited(e edit, store string) error {
	file := filepath.Join(m.dir, "copies", filepath.Base(e.module), e.file)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed := strings.Replace(string(text), e.from, e.to, 1)
	if strings.Contains(e.to, "edited++") {
		changed += "\nvar edited int\n"
	}
	if changed == string(text) {
		return fmt.Errorf("%s has no %q", e.file, e.from)
	}
	if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
		return err
	}
	_, err = m.run("after an edit: "+e.what, "-store="+store)
	if e := os.WriteFile(file, text, 0o666); err == nil {
		err = e
	}
	return err
}

// shards runs two processes that share a directory, then the link.
func (m *machine) shards(want []byte, store string) error {
	os.RemoveAll(store)
	type done struct {
		cmd            *exec.Cmd
		stdout, stderr *bytes.Buffer
		err            error
	}
	begin := time.Now()
	ends := make(chan done)
	for range 2 {
		go func() {
			cmd, stdout, stderr := m.command("-shard", "-store="+store)
			ends <- done{cmd, stdout, stderr, cmd.Run()}
		}()
	}
	var err error
	for range 2 {
		d := <-ends
		if d.err != nil {
			err = fmt.Errorf("shard: %w\n%s", d.err, d.stderr)
			continue
		}
		figures("one of two shards", begin, d.cmd, d.stdout, d.stderr)
	}
	if err != nil {
		return err
	}
	got, err := m.run("link", "-link", "-store="+store)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("the shards' report is not that of one process")
	}
	fmt.Printf("the shards' report is that of one process: %d bytes\n", len(got))
	return nil
}
