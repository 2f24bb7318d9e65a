package replay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Race is what is to be confirmed.
type Race struct {
	ID   string
	A, B Line // of the accesses that the witness ends in
	Witness
	Meta *trace.Meta                             // of the trace: one program may have left several
	Open func() (trace.Source, io.Closer, error) // the trace
}

// Outcome is what became of a race.
type Outcome struct {
	ID        string `json:"id"`
	Confirmed bool   `json:"confirmed"`
	Judge     Judges `json:"judge"`
	Steps     int    `json:"steps"` // of the schedule
	// the run before the tries, for accesses of outside code (RP2)
	Look  *Try  `json:"look,omitempty"`
	Tries []Try `json:"tries"`

	found *Reproduction // the schedule of the try that confirmed the race
}

// Judges says what confirms a race.
type Judges string

const (
	ByDetector Judges = "go-race-detector"
	// both goroutines were held before their accesses at once; there is no C compiler, and so no
	// race detector
	ByGates Judges = "gates"
)

// Try is one run under a schedule.
type Try struct {
	Swap      bool     `json:"swap,omitempty"`  // the second access first
	Level     uint64   `json:"level,omitempty"` // how loose the schedule was from the start
	Loosened  []string `json:"loosened,omitempty"`
	Confirmed bool     `json:"confirmed"`
	// both accesses were made, one right after the other
	Met bool `json:"met"`
	// and the schedule was followed event for event up to there, at one address
	Followed bool      `json:"followed"`
	Report   string    `json:"report,omitempty"` // of the race detector
	Why      string    `json:"why,omitempty"`    // it did not confirm the race
	Dir      string    `json:"dir,omitempty"`
	Saw      []Seen    `json:"saw,omitempty"` // what the two accesses met, the first one first
	Command  []string  `json:"command"`
	Schedule []Passage `json:"schedule"`       // as it happened
	Left     []Passage `json:"left,omitempty"` // steps that were not made, the first ones
	Seconds  float64   `json:"seconds"`
	Dump     string    `json:"dump,omitempty"` // file with the output of a program that hung

	CPU  time.Duration `json:"-"` // that it used
	Peak int64         `json:"-"` // most bytes of memory that it had
	end  *state
	as   []byte // the schedule, as the program reads it
}

// Runs are all runs of the program.
func (o *Outcome) Runs() []*Try {
	var all []*Try
	if o.Look != nil {
		all = append(all, o.Look)
	}
	for i := range o.Tries {
		all = append(all, &o.Tries[i])
	}
	return all
}

// Unsteady reports whether another outcome is possible where the machine has nothing else to do:
// the race is not confirmed, and a schedule was not kept to its end.
func (o *Outcome) Unsteady() bool {
	return !o.Confirmed && slices.ContainsFunc(o.Tries, func(t Try) bool { return !t.Followed })
}

// Contradicts reports whether two tries followed the schedule to its end, and the race detector saw
// no race: if that was of a witness, one of the two is wrong.
func (o *Outcome) Contradicts() bool {
	n := 0
	for _, t := range o.Tries {
		if t.Followed && t.Level < strict {
			n++
		}
	}
	return !o.Confirmed && o.Judge == ByDetector && n >= 2
}

// made reports whether all steps were made.
func (s *schedule) made(st *state) bool {
	for _, x := range st.steps[:len(s.steps)] {
		if x.state < done {
			return false
		}
	}
	return true
}

// Passage is a step as it happened.
type Passage struct {
	Order     uint64      `json:"order"`
	Goroutine trace.GoID  `json:"goroutine"`
	Kind      string      `json:"kind"`
	Is        format.Kind `json:"-"` // the kind
	Site      trace.Site  `json:"-"`
	File      string      `json:"file"`
	Line      int         `json:"line"`
	Event     int64       `json:"event"` // of the recorded run
}

// How says what is not as in the witness from the start, "" if nothing is.
func (t *Try) How() string {
	switch {
	case t.Level >= strict:
		return "only steps that conflict are in the order of the witness"
	case t.Swap:
		return "the two accesses are in the other order"
	}
	return ""
}

// tries are how schedules are tried, one after the other.
func tries(limit time.Duration) []variant {
	n := limit.Nanoseconds()
	return []variant{{limit: n}, {swap: true, limit: n}, {level: strict, limit: n}}
}

// Replay runs the program under the witness of a race until the race detector reports it.
func (p *Program) Replay(ctx context.Context, r Race) (*Outcome, error) {
	s, pkg, bin, err := p.scheduled(ctx, r)
	if err != nil {
		return nil, err
	}
	out := &Outcome{ID: r.ID, Steps: len(s.steps), Judge: ByGates}
	if p.race {
		out.Judge = ByDetector
	}
	p.cfg.Progress("replaying " + r.ID)
	meetings, err := p.look(ctx, s, r, bin, pkg, out)
	if err != nil {
		return out, err
	}
	list := tries(p.cfg.Limit)
	if s.other != nil && len(meetings) == 0 {
		s, s.other.other = s.other, s // there the addresses decide
	}
	for n, v := range list {
		if n == 1 && s.other != nil {
			s, v = s.other, list[0]
		}
		s.meetAt(meetings, n)
		t, err := p.try(ctx, s, r, v, bin, pkg)
		if err != nil {
			return out, err
		}
		out.Tries = append(out.Tries, *t)
		if t.Confirmed {
			out.Confirmed, out.found = true, &Reproduction{p, pkg, t.as}
			break
		}
	}
	return out, nil
}

// scheduled makes the schedule of a race, and the binary that is to run under it.
func (p *Program) scheduled(ctx context.Context, r Race) (s *schedule, pkg, bin string, err error) {
	if s, err = newSchedule(r.Witness, r.Meta, r.Open); err != nil {
		return nil, "", "", err
	}
	for _, x := range []*schedule{s, s.other} {
		if x == nil {
			continue
		}
		if err := x.feed(p.sites.fedTo(&r.Witness), r.Meta, r.Paths, r.Open); err != nil {
			return nil, "", "", err
		}
	}
	if s.isOutside() && !p.race {
		return nil, "", "", errNoHooks
	}
	pkg = strings.TrimSuffix(s.pkg, "_test")
	if p.cfg.Test && pkg == "" {
		return nil, "", "", fmt.Errorf("no test function ran in the recorded process")
	}
	bin, err = p.binary(ctx, pkg)
	return s, pkg, bin, err
}

// EnvExec names the variable that has a program execute those of replays: an emulator of another
// processor.
const EnvExec = "PRESAGE_EXEC"

// try runs the program once.
func (p *Program) try(ctx context.Context, s *schedule, r Race, v variant, bin, pkg string) (*Try, error) {
	dir, err := os.MkdirTemp(p.dir, "try-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the replay: %w", err)
	}
	defer os.RemoveAll(dir)
	data, perm := s.encode(v)
	file := filepath.Join(dir, "schedule")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, fmt.Errorf("writing the schedule: %w", err)
	}
	command := slices.Concat(strings.Fields(os.Getenv(EnvExec)), []string{bin}, p.arguments())
	t := &Try{Swap: v.swap, Level: v.level, Command: command, Dir: p.directory(pkg), as: data}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = t.Dir
	cmd.Env = append(os.Environ(), recorder.EnvGates+"="+file, "GORACE="+detectorOptions(s)+filepath.Join(dir, "race"))
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second
	if p.cfg.Group {
		defer killGroup(cmd)()
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("running the program: %w", err)
	}
	hung := p.watch(cmd, file, func() bool { return p.reported(s, r, dir) })
	t.Seconds = time.Since(begun).Seconds()
	t.CPU, t.Peak = spent(cmd.ProcessState)
	st, err := readState(file, perm)
	if err != nil {
		return nil, err
	}
	p.settle(t, s, st, r, dir)
	if hung != "" && !t.Confirmed {
		t.Why = hung + "; " + t.Why
		t.Dump = filepath.Join(p.dir, r.ID+".dump")
		os.WriteFile(t.Dump, output.Bytes(), 0o600)
	}
	return t, nil
}

// grace is how long the program may go on when its schedule is over, and the race detector has not
// reported the race.
const grace = 200 * time.Millisecond

// hangs is how many times the limit a program that hangs may do nothing: as long as a sleep is
// waited for (RP3).
const hangs = 10

// watch waits for the end of the program, or of its schedule. It returns why it had to end a
// program that hung. reported says whether the race detector has reported the race.
func (p *Program) watch(cmd *exec.Cmd, file string, reported func() bool) (hung string) {
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	begun := time.Now()
	rest := restOf(cmd.Process.Pid, file)
	for {
		select {
		case <-ended:
			return ""
		case <-time.After(5 * time.Millisecond):
		}
		if headerWord(file, hdrLevel) >= together || headerWord(file, hdrOver) != 0 {
			for over := time.Now(); time.Since(over) < grace && !reported(); {
				select {
				case <-ended:
					return ""
				case <-time.After(5 * time.Millisecond):
				}
			}
			cmd.Process.Kill()
			<-ended
			return ""
		}
		switch still := rest.since(); {
		case time.Since(begun) > p.cfg.Timeout:
			hung = fmt.Sprintf("the program had not ended after %v", p.cfg.Timeout)
		case still > hangs*p.cfg.Limit:
			hung = fmt.Sprintf("the program did nothing for %v", hangs*p.cfg.Limit)
		default:
			continue
		}
		cmd.Process.Signal(syscall.SIGQUIT)
		select {
		case <-ended:
		case <-time.After(2 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
		return hung
	}
}

func headerWord(file string, i int64) uint64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	var b [8]byte
	f.ReadAt(b[:], 8*i)
	return binary.LittleEndian.Uint64(b[:])
}

// settle judges a run.
func (p *Program) settle(t *Try, s *schedule, st *state, r Race, dir string) {
	n := len(s.steps)
	b := n - 1
	a := s.steps[b].pair
	t.end = st
	t.Met = st.steps[a].state == done && st.steps[b].state == done
	t.Followed = t.Met && len(st.stalls) == 0 && overlap(st.steps[a], st.steps[b]) && s.made(st)
	text := detected(dir)
	t.Report = p.judge(text, s, r)
	t.Confirmed = t.Report != ""
	if !p.race {
		t.Confirmed = t.Met && s.steps[a].flags&held != 0 && overlap(st.steps[a], st.steps[b])
	}
	p.saw(t, s, st, a, b)
	for _, x := range st.stalls {
		t.Loosened = append(t.Loosened, s.stalled(x, st))
	}
	for k, x := range st.steps[:n] {
		if x.order > 0 {
			t.Schedule = append(t.Schedule, p.passage(s, k, x.order))
		} else if len(t.Left) < shownLeft {
			t.Left = append(t.Left, p.passage(s, k, 0))
		}
	}
	slices.SortFunc(t.Schedule, func(x, y Passage) int { return cmp.Compare(x.Order, y.Order) })
	switch {
	case t.Confirmed:
	case st.pid == 0:
		t.Why = "the program did not take the schedule"
	case t.Met && !p.race:
		t.Why = "both accesses were made, but not at one address and moment; there is no C compiler, and so no race detector"
	case t.Met:
		t.Why = "both accesses were made, one right after the other, and the race detector reported no race of these lines"
		if text != "" {
			t.Why += plural.Text(len(reports(text)), " (but {{n}} other{{|s}})")
		}
	default:
		t.Why = "diverged: " + s.missing(st, p.sites, r.Meta)
	}
	t.Why += s.unheld(st, t)
}

// detected is what the race detector has written so far.
func detected(dir string) string {
	logs, _ := filepath.Glob(filepath.Join(dir, "race.*"))
	var text strings.Builder
	for _, l := range logs {
		data, _ := os.ReadFile(l)
		text.Write(data)
	}
	return text.String()
}

// judge is Judge for a race under a schedule.
func (p *Program) judge(text string, s *schedule, r Race) string {
	ours := map[string]bool{}
	files, _, _ := p.cfg.Meta.Program()
	for _, f := range files {
		ours[f.Name] = true
	}
	r.A, r.B = s.lines(r.A, r.B)
	return Judge(text, r.A, r.B, func(f string) bool { return ours[f] || !filepath.IsAbs(f) })
}

// reported reports whether the race detector has already written all of the report of the race.
func (p *Program) reported(s *schedule, r Race, dir string) bool {
	text := detected(dir)
	end := strings.LastIndex(text, reportEnd)
	return end >= 0 && p.judge(text[:end], s, r) != ""
}

// overlap reports whether two accesses met at one location.
func overlap(a, b stepStateOf) bool {
	return a.addr != 0 && b.addr != 0 && a.addr < b.addr+b.size && b.addr < a.addr+a.size
}

// shownLeft is how many steps of a schedule are named that were not made.
const shownLeft = 5

func (p *Program) passage(s *schedule, k int, order uint64) Passage {
	st := &s.steps[k]
	if at := st.place; at != nil {
		return Passage{Order: order, Goroutine: s.gates[st.gate].g, Kind: st.kind.String(), Is: st.kind, Site: st.site, Line: at.line, Event: st.index, File: at.file}
	}
	info := p.cfg.Meta.Sites[st.site]
	out := Passage{Order: order, Goroutine: s.gates[st.gate].g, Kind: st.kind.String(), Is: st.kind, Site: st.site, Line: int(info.Line), Event: st.index}
	if info.File >= 0 {
		out.File = p.cfg.Meta.Files[info.File].Name
	}
	return out
}

// stalled says where a schedule was loosened.
func (s *schedule) stalled(x stall, st *state) string {
	what := []string{"goroutines that have nothing more to do may go on", "the order of steps that do not conflict", "the order of steps", "everything"}
	text := fmt.Sprintf("level %d given up (%s)", x.level, what[min(int(x.level), 3)])
	if x.step >= 0 && x.step < len(s.steps) {
		text += fmt.Sprintf(" while step %d of %d waited", x.step+1, len(s.steps))
	}
	return text
}

// missing is the first step that did not come.
func (s *schedule) missing(st *state, sites Sites, meta *trace.Meta) string {
	for k, x := range st.steps[:len(s.steps)] {
		if x.state >= done {
			continue
		}
		step := &s.steps[k]
		text := fmt.Sprintf("step %d of %d, event %d (%s by goroutine %d, %s)", k+1, len(s.steps), step.index, step.kind, s.gates[step.gate].g, step.where(meta))
		switch {
		case x.state == passed:
			text += " did not come to its end"
		case x.state == arrived:
			text += " waited to the end"
		case st.gates[step.gate] == 0:
			text += " did not come: its goroutine was not started"
		case st.gates[step.gate] == ended:
			text += " did not come: its goroutine ended"
		default:
			text += " did not come"
		}
		return text + s.strayed(step.gate, st, meta) + s.causes(step, sites, meta)
	}
	return "all steps were made"
}
