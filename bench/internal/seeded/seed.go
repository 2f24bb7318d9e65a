package seeded

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Operator is what is done to the source.
type Operator string

const (
	Mutex   Operator = "mutex"
	Readers Operator = "readers"
	Atomic  Operator = "atomic"
	Once    Operator = "once"
)

// Operators are all of them.
var Operators = []Operator{Mutex, Readers, Atomic, Once}

// Seed is an object and an operator, with the operations that are removed.
type Seed struct {
	Operator Operator
	Name     string // as cache.Cache.mu
	File     string // below the module's directory
	Line     int    // of its declaration
	Kept     string // why its operations stay
	ops      map[place]*op
	typ      []edit          // of its declaration
	ends     map[string]edit // by file: what uses an import
}

// place is where an operation begins.
type place struct {
	file   string // below the module's directory
	offset int
}

// op is an operation: in a line, with what becomes of its text.
type op struct {
	line   int
	reader bool // of a sync.RWMutex
	edits  []edit
}

// edit puts text in the place of what is in a file from an offset to another; to < 0: at the end.
type edit struct {
	file     string
	from, to int
	text     string
}

// Operations is how many operations go.
func (s *Seed) Operations() int { return len(s.ops) }

// At reports whether an operation is in a line of a file.
func (s *Seed) At(file string, line int) bool {
	for p, o := range s.ops {
		if p.file == file && o.line == line {
			return true
		}
	}
	return false
}

// Within reports whether an operation is between two lines of a file that is named by the import
// path of its package, in the module of a path.
func (s *Seed) Within(module, file string, from, to int) bool {
	for p, o := range s.ops {
		if o.line >= from && o.line <= to && file == path.Join(module, filepath.ToSlash(p.file)) {
			return true
		}
	}
	return false
}

// Drop takes the operations out of the source of the module in dir, which has to be a copy of the
// one that they were found in.
func (s *Seed) Drop(dir string) error {
	if s.Kept != "" {
		return fmt.Errorf("%s stays: %s", s.Name, s.Kept)
	}
	files := map[string][]edit{}
	for _, o := range s.ops {
		for _, e := range o.edits {
			files[e.file] = append(files[e.file], e)
		}
	}
	for _, e := range s.typ {
		files[e.file] = append(files[e.file], e)
	}
	for file, e := range s.ends {
		if len(files[file]) > 0 {
			files[file] = append(files[file], e)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name := filepath.Join(dir, file)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if text, err = apply(text, files[file]); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// apply edits a text, from its end to its beginning.
func apply(text []byte, edits []edit) ([]byte, error) {
	for i := range edits {
		if edits[i].to < 0 {
			edits[i].from, edits[i].to = len(text), len(text)
		}
	}
	slices.SortStableFunc(edits, func(x, y edit) int { return cmp.Or(cmp.Compare(y.from, x.from), cmp.Compare(y.to, x.to)) })
	last := len(text)
	for _, e := range edits {
		if e.to > last {
			return nil, fmt.Errorf("two operations at offset %d", e.from)
		}
		text = slices.Concat(text[:e.from], []byte(e.text), text[e.to:])
		last = e.from
	}
	return text, nil
}
