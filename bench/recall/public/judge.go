package public

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
	"golang.org/x/mod/module"
)

const (
	openForm   = "TestOpen"
	hiddenForm = "TestHidden"
	raceRuns   = 5 // of each form under -race
)

// bench runs the cases.
type bench struct {
	options *options
	forms   string // the test file with the forms
	dir     string // of the modules
	temp    string // to remove
	id      string // of presage and the forms
	state   *session.State[outcome]
}

// open makes the directory and presage, and reads the state.
func (b *bench) open() (err error) {
	o := b.options
	if b.temp, err = os.MkdirTemp("", "presage-public-"); err != nil {
		return err
	}
	if b.dir = o.dir; b.dir == "" {
		b.dir = b.temp
	}
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	if o.presage == "" && !o.check {
		o.presage = filepath.Join(b.temp, "presage")
		if err := session.Build(context.Background(), o.presage); err != nil {
			return err
		}
	}
	h := sha256.New()
	fmt.Fprintln(h, b.forms)
	if !o.check {
		if o.presage, err = filepath.Abs(o.presage); err != nil {
			return err
		}
		text, err := os.ReadFile(o.presage)
		if err != nil {
			return err
		}
		h.Write(text)
	}
	b.id = fmt.Sprintf("%x", h.Sum(nil)[:8])
	b.state, err = session.OpenState[outcome](o.state)
	return err
}

func (b *bench) close() { os.RemoveAll(b.temp) }

// outcome is what became of a case: a line of the state file.
type outcome struct {
	Judge, Name, Case string // Case: a hash of the case

	Open, Hidden             *raced // of the version with the race
	OpenFixed, HiddenFixed   *raced
	POpen, PHidden           *predicted // by presage; nil with -check
	POpenFixed, PHiddenFixed *predicted
}

// find returns the outcome of a case in a state, nil if there is none.
func find(s *session.State[outcome], judge string, c *raceCase) *outcome {
	for _, out := range s.Rows {
		if out.Judge == judge && out.Name == c.name && out.Case == c.hash {
			return out
		}
	}
	return nil
}

// judge runs a case, unless the state has its outcome.
func (b *bench) judge(c *raceCase) (*outcome, error) {
	if out := find(b.state, b.id, c); out != nil {
		return out, nil
	}
	out := &outcome{Judge: b.id, Name: c.name, Case: c.hash}
	racy, err := b.runVersion(c, c.module, c.driver, "racy", &out.Open, &out.Hidden)
	if err != nil {
		return nil, err
	}
	fixed, err := b.runVersion(c, c.fixed, c.fixedDriver, "fixed", &out.OpenFixed, &out.HiddenFixed)
	if err != nil {
		return nil, err
	}
	if b.options.check {
		return out, b.state.Add(out)
	}
	for _, p := range []struct {
		to    **predicted
		d     *driven
		form  string
		match func([]pair, *report.Race) []int
	}{
		{&out.POpen, racy, openForm, matches},
		{&out.PHidden, racy, hiddenForm, matches},
		{&out.POpenFixed, fixed, openForm, inFuncsOf},
		{&out.PHiddenFixed, fixed, hiddenForm, inFuncsOf},
	} {
		if *p.to, err = b.predict(p.d, p.form, out.Open.Pairs, p.match); err != nil {
			return nil, err
		}
	}
	return out, b.state.Add(out)
}

// runVersion runs both forms of a case with one version of its module under -race.
func (b *bench) runVersion(c *raceCase, v module.Version, driver, kind string, open, hidden **raced) (*driven, error) {
	d, err := b.write(c, v, driver, kind)
	if err != nil {
		return nil, err
	}
	if *open, err = d.detect(openForm, raceRuns); err != nil {
		return nil, err
	}
	*hidden, err = d.detect(hiddenForm, raceRuns)
	return d, err
}

// complaint says what did not behave as expected, "" if nothing.
func (out *outcome) complaint() string {
	for _, r := range []struct {
		form string
		*raced
	}{{"open", out.Open}, {"hidden", out.Hidden}, {"open, fixed", out.OpenFixed}, {"hidden, fixed", out.HiddenFixed}} {
		switch {
		case r.Failed != "":
			return fmt.Sprintf("%s: a run under -race failed: %s", r.form, r.Failed)
		case r.form == "open" && r.Racy == 0:
			return "open: -race is silent"
		case r.form != "open" && r.Racy > 0:
			return fmt.Sprintf("%s: -race reports %v", r.form, r.Pairs)
		}
	}
	for form, p := range map[string]*predicted{"open": out.POpenFixed, "hidden": out.PHiddenFixed} {
		if p != nil && len(p.Found) > 0 {
			return fmt.Sprintf("%s, fixed: presage reports a race on the same memory: %v", form, p.Found)
		}
	}
	return ""
}
