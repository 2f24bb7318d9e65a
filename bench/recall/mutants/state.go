package mutants

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// row is one run of one tool on one mutant: a line of the state file.
type row struct {
	module, mutant string
	tool           string // plain, race, hb, default or extra
	run            int    // from 1
	outcome        string
	seconds        float64
	races          []race
}

const stateHeader = "module\tmutant\ttool\trun\toutcome\tseconds\traces\n"

// String is the line. The races are JSON.
func (r *row) String() string {
	text, err := json.Marshal(r.races)
	if err != nil {
		panic(err) // strings and booleans only
	}
	if r.races == nil {
		text = []byte("[]")
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%s\t%.1f\t%s\n", r.module, r.mutant, r.tool, r.run, r.outcome, r.seconds, text)
}

func parseRow(line string) (*row, error) {
	f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	if len(f) != 7 {
		return nil, fmt.Errorf("%d fields, not 7", len(f))
	}
	r := &row{module: f[0], mutant: f[1], tool: f[2], outcome: f[4]}
	var err, err2 error
	r.run, err = strconv.Atoi(f[3])
	r.seconds, err2 = strconv.ParseFloat(f[5], 64)
	return r, errors.Join(err, err2, json.Unmarshal([]byte(f[6]), &r.races))
}

// state has what was run. Lines are only ever added to its file, so several commands can add to
// one file.
type state struct {
	file *os.File // nil: nothing is kept
	rows []*row
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
	for line := range strings.Lines(string(text)) {
		if n++; line == stateHeader {
			continue
		}
		r, err := parseRow(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		s.rows = append(s.rows, r)
	}
	if s.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, err
	}
	if len(text) == 0 {
		_, err = s.file.WriteString(stateHeader)
	}
	return s, err
}

func (s *state) add(r *row) error {
	s.rows = append(s.rows, r)
	if s.file == nil {
		return nil
	}
	_, err := s.file.WriteString(r.String())
	return err
}

// find returns the rows of a tool on a mutant, in the order of their runs.
func (s *state) find(module, mutant, tool string) []*row {
	var all []*row
	for _, r := range s.rows {
		if r.module == module && r.mutant == mutant && r.tool == tool {
			all = append(all, r)
		}
	}
	return all
}

// runs returns the races of each run on a mutant, by tool.
func (s *state) runs(module, mutant string) map[string][][]race {
	all := map[string][][]race{}
	for _, r := range s.rows {
		if r.module == module && r.mutant == mutant && r.tool != "plain" {
			all[r.tool] = append(all[r.tool], r.races)
		}
	}
	return all
}

// mutants returns the modules and their mutants that pass plain, without the originals, in the
// order of the file.
func (s *state) mutants() (modules []string, mutants map[string][]string) {
	mutants = map[string][]string{}
	for _, r := range s.rows {
		if r.tool != "plain" || r.outcome != "pass" {
			continue
		}
		if mutants[r.module] == nil {
			modules = append(modules, r.module)
			mutants[r.module] = []string{}
		}
		if r.mutant != original {
			mutants[r.module] = append(mutants[r.module], r.mutant)
		}
	}
	return modules, mutants
}

// passes reports whether the tests of a mutant passed plain.
func (s *state) passes(module, mutant string) bool {
	return slices.ContainsFunc(s.find(module, mutant, "plain"), func(r *row) bool { return r.outcome == "pass" })
}

// dropped says why a module is not measured, "" if it is.
func (s *state) dropped(module string) string {
	if n := len(s.find(module, original, "plain")); n >= tries && !s.passes(module, original) {
		return fmt.Sprintf("its tests did not pass plain in %d runs", n)
	}
	passed := 0
	list := s.find(module, original, "race")
	for _, r := range list {
		if r.outcome == "race" {
			return "it races"
		}
		if r.outcome == "pass" {
			passed++
		}
	}
	if len(list) > 0 && passed == 0 {
		return "its tests do not pass with -race"
	}
	return ""
}

// quiet reports whether the first runs of -race on a mutant, as many as are usual, have no race.
func (s *state) quiet(module, mutant string) bool {
	n := 0
	for _, r := range s.find(module, mutant, "race") {
		if r.run <= usual {
			if len(r.races) > 0 {
				return false
			}
			n++
		}
	}
	return n == usual
}
