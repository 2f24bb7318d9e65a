package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// state has the verdicts of earlier commands. Lines are only ever added to its file.
type state struct {
	file *os.File // nil: nothing is kept
	rows []*verdict
}

// openState reads a state file, and makes it if there is none. Without a name nothing is kept.
func openState(name string) (*state, error) {
	s := &state{}
	if name == "" {
		return s, nil
	}
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		v := &verdict{}
		if err := json.Unmarshal(line, v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		s.rows = append(s.rows, v)
	}
	s.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return s, err
}

func (s *state) add(v *verdict) error {
	if s.file == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(text, '\n'))
	return err
}

// find returns the verdict of a judge on a program, nil if there is none or presage failed.
func (s *state) find(judge string, p *program) *verdict {
	for _, v := range s.rows {
		if v.Judge == judge && v.Family == p.family && v.Name == p.name && v.Text == p.hash() && v.Failed == "" {
			return v
		}
	}
	return nil
}

// hash is a hash of what a program says.
func (p *program) hash() string {
	sum := sha256.Sum256([]byte(p.String() + strings.Join(p.requires, "\n")))
	return fmt.Sprintf("%x", sum[:8])
}

// unjudged is the ID of a judge that checks programs and does not run presage.
const unjudged = "check"

// judgeID is a hash of what gives the verdicts: the binary of presage, its flags, and the sleep.
func judgeID(o *options) (string, error) {
	if o.check {
		return unjudged, nil
	}
	text, err := os.ReadFile(o.presage)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(text)
	fmt.Fprintln(h, o.flags, o.sleep)
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}
