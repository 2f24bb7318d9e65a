package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/untrusted/trust"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// keptSuffix is that of the files of kept schedules, and keptDir where they are written, below the
// root of the module.
const (
	keptSuffix = ".presage"
	keptDir    = "presage"
)

// keep writes the schedules of races into the module, each once it has been replayed from what is
// written.
func (r *replayer) keep(ctx context.Context, races []*report.Race) error {
	failed := false
	for _, race := range races {
		name, alone, err := r.keepOne(ctx, race)
		r.progress.end()
		if err != nil {
			failed = true
			visible.Fprintf(r.env.Stderr, "presage: race %s is not kept: %v\n", race.ID, err)
			continue
		}
		visible.Fprintf(r.env.Stdout, "race %s on %s is kept in %s; to replay it: presage replay %[3]s\n", race.ID, race.Name(), name)
		r.printAlone(alone)
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	return nil
}

// keepOne returns the name of the file, and the command that shows the race without presage.
func (r *replayer) keepOne(ctx context.Context, race *report.Race) (name, alone string, err error) {
	from, meta, err := r.open(ctx, race)
	if err != nil {
		return "", "", err
	}
	r.progress.step(report.Progress{Text: "checking the witness of " + race.ID})
	if err := r.check(ctx, race, from, meta); err != nil {
		return "", "", fmt.Errorf("its witness is not valid: %w", err)
	}
	p, err := r.plan(ctx, meta)
	if err != nil {
		return "", "", err
	}
	root, err := rootOf(ctx, meta.Dir)
	if err != nil {
		return "", "", err
	}
	command, err := commandOf(meta, root)
	if err != nil {
		return "", "", err
	}
	all, err := replay.Keep(raceToReplay(race, opener(from), meta), p, root, command)
	if err != nil {
		return "", "", err
	}
	if !trust.Name(race.ID) {
		return "", "", fmt.Errorf("its ID %q cannot be the name of a file", race.ID)
	}
	file := filepath.Join(root, keptDir, race.ID+keptSuffix)
	for _, k := range all {
		k.Object = race.Name()
		text := k.Format()
		var out *replay.KeptOutcome
		if out, err = r.tryKept(ctx, root, file, text); err != nil {
			return "", "", err
		}
		if out.Verdict == replay.Confirmed {
			if alone, err = r.reproduce(out, file); err != nil {
				return "", "", err
			}
			return shortName(file), alone, writeKept(file, text)
		}
		err = fmt.Errorf("its schedule is %s: %s", out.Verdict, out.Reason)
	}
	return "", "", err
}

// tryKept replays what is going to be written.
func (r *replayer) tryKept(ctx context.Context, root, file string, text []byte) (*replay.KeptOutcome, error) {
	k, err := replay.ParseKept(file, text)
	if err != nil {
		return nil, fmt.Errorf("%w (a mistake of presage, please report it)", err)
	}
	return r.replayKept(ctx, root, k)
}

// reproduce writes a confirmed race as a build that needs no presage, if that is wanted, next to
// the file of its kept schedule. The go command ignores directories that begin with _. It returns
// the command that shows the race.
func (r *replayer) reproduce(out *replay.KeptOutcome, file string) (alone string, err error) {
	if r.args.as != asOverlay {
		return "", nil
	}
	dir := filepath.Join(filepath.Dir(file), "_"+strings.TrimSuffix(filepath.Base(file), keptSuffix))
	command, in, err := out.Reproduction().Write(dir)
	if err != nil {
		return "", fmt.Errorf("it cannot be shown without presage: %w", err)
	}
	for i, a := range command {
		command[i] = shellWord(a)
	}
	return fmt.Sprintf("cd %s && %s", shellWord(in), strings.Join(command, " ")), nil
}

func (r *replayer) printAlone(command string) {
	if command != "" {
		visible.Fprintf(r.env.Stdout, "  without presage: %s\n", command)
	}
}

// shellWord quotes a word for a shell, if need be.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-_=./,:@%+", c))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func writeKept(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// shortName is a file's name from where the command runs.
func shortName(file string) string {
	dir, err := os.Getwd()
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
		return rel
	}
	return file
}

func (r *replayer) replayKept(ctx context.Context, root string, k *replay.Kept) (*replay.KeptOutcome, error) {
	cache, err := record.CacheDir()
	if err != nil {
		return nil, err
	}
	return replay.ReplayKept(ctx, replay.KeptConfig{
		Root: root, Cache: cache, ToolID: record.ToolID(), Limit: r.args.limit, Timeout: r.args.timeout,
		Progress: func(text string) { r.progress.step(report.Progress{Text: text}) },
	}, k)
}

// rootOf is the directory of the workspace or module that a directory belongs to.
func rootOf(ctx context.Context, dir string) (string, error) {
	mod, work, err := moduleFiles(ctx, dir)
	switch {
	case err != nil:
		return "", err
	case work != "":
		return filepath.Dir(work), nil
	case mod == "":
		return "", fmt.Errorf("%s is not in a module", dir)
	}
	return filepath.Dir(mod), nil
}

// moduleFiles returns the go.mod and the go.work that a directory belongs to, "" for what there is
// not.
func moduleFiles(ctx context.Context, dir string) (mod, work string, err error) {
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOMOD", "GOWORK")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("asking go env: %w", err)
	}
	var env struct{ GOMOD, GOWORK string }
	if err := json.Unmarshal(out, &env); err != nil {
		return "", "", fmt.Errorf("asking go env: %w", err)
	}
	if mod = env.GOMOD; mod == os.DevNull {
		mod = ""
	}
	if work = env.GOWORK; work == "off" {
		work = ""
	}
	return mod, work, nil
}

// commandOf is the recorded command, without the names of this machine.
func commandOf(meta *trace.Meta, root string) (c replay.Command, err error) {
	if len(meta.Command) < 2 {
		return c, errors.New("its trace does not say which command it is of")
	}
	c.Test = meta.Command[1] == "test"
	g, err := parseGo(meta.Command[2:], c.Test)
	if err != nil {
		return c, err
	}
	dir, err := filepath.Rel(root, meta.Dir)
	if err != nil || !filepath.IsLocal(dir) {
		return c, fmt.Errorf("it was recorded in %s, which is not below %s", meta.Dir, root)
	}
	c.Dir, c.Flags, c.Args = filepath.ToSlash(dir), replay.TestFlags(g.flags), g.args
	for _, f := range meta.BuildFlags {
		name, value, ok := strings.Cut(f, "=")
		if ok && filepath.IsAbs(value) {
			rel, err := filepath.Rel(meta.Dir, value)
			switch {
			case err == nil && strings.HasPrefix(value, root+string(filepath.Separator)):
				f = name + "=" + rel
			case !slices.Contains(g.flags, f):
				// of presage itself, for modules that are not the main one
				continue
			default:
				return c, fmt.Errorf("flag %s names a file outside %s", f, root)
			}
		}
		c.Build = append(c.Build, f)
	}
	if c.Test {
		return c, nil
	}
	switch {
	case len(g.packages) != 1 || strings.HasSuffix(g.packages[0], ".go"):
		return c, errors.New("it was run from files, not as a package")
	case filepath.IsAbs(g.packages[0]):
		rel, err := filepath.Rel(meta.Dir, g.packages[0])
		if err != nil {
			return c, err
		}
		g.packages[0] = "./" + filepath.ToSlash(rel)
	}
	c.Package = g.packages[0]
	return c, nil
}

// keptFiles are the files of kept schedules among the arguments; those of a directory are its own.
// ok is false if the arguments are IDs.
func keptFiles(args []string) (files []string, ok bool, err error) {
	ids := 0
	for _, arg := range args {
		st, statErr := os.Stat(arg)
		switch {
		case statErr == nil && st.IsDir():
			inside, err := filepath.Glob(filepath.Join(arg, "*"+keptSuffix))
			if err != nil || len(inside) == 0 {
				return nil, false, fmt.Errorf("%s has no files *%s", arg, keptSuffix)
			}
			files = append(files, inside...)
		case strings.HasSuffix(arg, keptSuffix) || statErr == nil || strings.ContainsRune(arg, filepath.Separator):
			files = append(files, arg)
		default:
			ids++
		}
	}
	if ids > 0 && len(files) > 0 {
		return nil, false, usagef("either IDs of races or files of kept schedules, not both")
	}
	return files, len(files) > 0, nil
}

// replayFiles replays kept schedules. A race that is still there wins over a schedule that says
// nothing.
func (r *replayer) replayFiles(ctx context.Context, files []string) error {
	code := exitNone
	for _, name := range files {
		out, err := r.replayFile(ctx, name)
		r.progress.end()
		switch {
		case err != nil:
			visible.Fprintf(r.env.Stderr, "presage: %v\n", err)
			code = worse(code, exitFailed)
		case out.Verdict == replay.Confirmed:
			code = worse(code, exitRaces)
		case out.Verdict != replay.NoLongerFeasible:
			code = worse(code, exitFailed)
		}
	}
	if code != exitNone {
		return &exitError{code: code}
	}
	return nil
}

func worse(a, b int) int {
	if a == exitRaces || b == exitRaces {
		return exitRaces
	}
	return max(a, b)
}

func (r *replayer) replayFile(ctx context.Context, name string) (*replay.KeptOutcome, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading kept schedule %s: %w", name, underlying(err))
	}
	k, err := replay.ParseKept(name, data)
	if err != nil {
		return nil, err
	}
	if err := r.grant.kept(name, k); err != nil {
		return nil, err
	}
	root, err := rootOf(ctx, filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	out, err := r.replayKept(ctx, root, k)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	alone := ""
	if out.Confirmed {
		if alone, err = r.reproduce(out, name); err != nil {
			return out, err
		}
	}
	return out, r.printKept(name, k, out, alone)
}

func (r *replayer) printKept(name string, k *replay.Kept, out *replay.KeptOutcome, alone string) error {
	w := r.env.Stdout
	if r.args.json {
		return json.NewEncoder(w).Encode(struct {
			File string `json:"file"`
			*replay.KeptOutcome
			Alone string `json:"without_presage,omitempty"` // the command of -as overlay
		}{name, out, alone})
	}
	text := string(out.Verdict)
	if out.Reason != "" {
		text += ": " + out.Reason
	}
	if out.Confirmed {
		text = fmt.Sprintf("%s in try %d", confirmedBy(out.Judge), len(out.Tries))
	}
	visible.Fprintf(w, "%s: race %s on %s: %s\n", name, k.ID, k.Object, text)
	r.printAlone(alone)
	if len(out.Changed) > 0 {
		visible.Fprintf(w, "  changed since it was kept: %s\n", strings.Join(out.Changed, ", "))
	}
	if len(out.Tries) == 0 {
		return nil
	}
	for i, t := range out.Tries {
		if t.Dump != "" {
			visible.Fprintf(w, "  try %d: what the program printed, with its goroutines, is in %s\n", i+1, t.Dump)
		}
		if r.args.verbose {
			r.printSchedule(w, t.Schedule)
		}
	}
	if last := out.Tries[len(out.Tries)-1]; last.Report != "" {
		visible.Fprintf(w, "\n%s\n", visible.Block(indent(last.Report)))
	}
	return nil
}
