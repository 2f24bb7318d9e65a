package confirm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
)

// Alone has presage write each confirmed race of the tests of packages as a build that needs no
// presage (replay -as overlay), and runs that n times under the user's go command. A run shows the
// race if the race detector reports the two lines.
func Alone(args []string) int {
	j := start("alone", "[flags] [packages]", args)
	packages := j.flags.Args()
	if len(packages) == 0 {
		packages = []string{"../examples/..."}
	}
	var err error
	for _, p := range packages {
		err = errors.Join(err, j.alone(context.Background(), p))
	}
	if err != nil {
		log.Print(err)
	}
	fmt.Printf("%d races confirmed by a replay, %d of them in each of %d runs without presage\n", j.races, j.confirmed, j.n)
	j.figures.Print("all", command.Count(j.races, "races"), command.Count(j.confirmed, "alone"))
	return command.Code(err == nil && j.confirmed == j.races)
}

// alone does so for the packages of one pattern, in a copy of their directory.
func (j *job) alone(ctx context.Context, pattern string) error {
	from, in := session.Place(pattern)
	dir, err := os.MkdirTemp(j.Dir, "alone-")
	if err != nil {
		return err
	}
	sub := strings.TrimSuffix(in, "/...")
	err = os.CopyFS(filepath.Join(dir, sub), os.DirFS(filepath.Join(from, sub)))
	for _, name := range []string{"go.mod", "go.sum"} {
		data, rerr := os.ReadFile(filepath.Join(from, name))
		err = errors.Join(err, rerr, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	if err != nil {
		return err
	}
	env := []string{"PRESAGE_CACHE=" + filepath.Join(j.Dir, "cache")}
	out, err := j.Test(ctx, dir, env, "-level="+j.level, "-vet=off", "-count=1", in)
	if err != nil {
		return err
	}
	races := out.Races
	if j.most > 0 && len(races) > j.most {
		races = every((len(races)+j.most-1)/j.most, races)
	}
	for _, r := range races {
		if err := j.raceAlone(ctx, dir, env, r); err != nil {
			return err
		}
	}
	return nil
}

// raceAlone does so for one race. A race that a replay does not confirm does not count.
func (j *job) raceAlone(ctx context.Context, dir string, env []string, r *report.Race) error {
	cmd := exec.CommandContext(ctx, j.Presage, "replay", "-q", "-as", "overlay", r.ID)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		fmt.Printf("%s  %s\n", r.ID, bytes.TrimSpace(stderr.Bytes()))
		if strings.Contains(stderr.String(), "without presage") {
			j.races++
		}
		return nil
	}
	command := ""
	for sc := bufio.NewScanner(&stdout); sc.Scan(); {
		if _, after, ok := strings.Cut(sc.Text(), "without presage: "); ok {
			command = after
		}
	}
	j.races++
	shown := 0
	for range j.n {
		out, err := exec.CommandContext(ctx, "sh", "-c", command).CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return err
		}
		a, b := replay.Line{File: r.A.File, Line: r.A.Line}, replay.Line{File: r.B.File, Line: r.B.Line}
		if replay.Judge(string(out), a, b, func(file string) bool { return file == a.File || file == b.File }) != "" {
			shown++
		}
	}
	if shown == j.n {
		j.confirmed++
	}
	fmt.Printf("%s  %s and %s: in %d of %d runs\n", r.ID, short(r.A.File, r.A.Line), short(r.B.File, r.B.Line), shown, j.n)
	return nil
}

func short(file string, line int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line) }
