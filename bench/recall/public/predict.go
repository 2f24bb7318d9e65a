package public

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/report"
)

// predicted is what presage says of a form.
type predicted struct {
	Found     []found
	Other     []string // races of no pair
	Warnings  []string // code and count
	Events    int64
	Undecided int
	Failed    string // why there is no report
}

// found is a race of presage that is one of the pairs of its case.
type found struct {
	ID        string
	Tier      report.Tier // without the replay
	Confirmed bool
	Why       string // not confirmed
	Pairs     []int  // by index
	A, B      place
}

// predict runs presage test or explore on a form. The trace of a test is kept in the module's
// directory.
func (b *bench) predict(d *driven, form string, pairs []pair, match func([]pair, *report.Race) []int) (*predicted, error) {
	args := []string{"test", "-format=json", "-q", "-o", filepath.Join(d.dir, form+".trace"), "-vet=off", "-count=1"}
	if b.options.explore > 0 {
		args = []string{"explore", "-json", "-q", "-time", b.options.explore.String(), "-vet=off"}
	}
	cmd := d.command(b.options.presage, append(args, "-run", "^"+form+"$", ".")...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	p := &predicted{Failed: "presage gave no report: " + tail(log.String())}
	for dec := json.NewDecoder(&out); ; {
		var m report.Message
		if err := dec.Decode(&m); err == io.EOF {
			return p, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the report: %w", err)
		}
		p.note(&m, pairs, match)
	}
}

// note adds a message of a report.
func (p *predicted) note(m *report.Message, pairs []pair, match func([]pair, *report.Race) []int) {
	switch {
	case m.Warning != nil:
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s %d", m.Warning.Code, m.Warning.Count))
	case m.Summary != nil:
		p.Events, p.Undecided, p.Failed = m.Summary.Events, m.Summary.Undecided, ""
		if code := m.Summary.ProgramCode; code != 0 {
			p.Failed = fmt.Sprintf("the test failed under presage: exit code %d", code)
		}
	case m.Race != nil:
		r := m.Race
		f := found{ID: r.ID, Tier: r.Tier, Confirmed: r.Tier == report.Confirmed, A: placeOf(&r.A), B: placeOf(&r.B)}
		if r.Replay != nil {
			f.Why = r.Replay.Why
			if f.Confirmed {
				f.Tier = r.Replay.Tier
			}
		}
		if f.Pairs = match(pairs, r); f.Pairs == nil {
			p.Other = append(p.Other, fmt.Sprintf("%s %s %v, %v", f.Tier, f.ID, f.A, f.B))
			return
		}
		p.Found = append(p.Found, f)
	}
}

// of returns how many of n pairs have a race for which ok holds.
func (p *predicted) of(n int, ok func(found) bool) (count int) {
	for i := range n {
		if slices.ContainsFunc(p.Found, func(f found) bool { return slices.Contains(f.Pairs, i) && ok(f) }) {
			count++
		}
	}
	return count
}

// tiers are the tiers of the races that were found, each once.
func (p *predicted) tiers() string {
	var all []string
	for _, f := range p.Found {
		if !slices.Contains(all, string(f.Tier)) {
			all = append(all, string(f.Tier))
		}
	}
	return strings.Join(all, "+")
}
