package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// State has the outcomes of earlier commands, each a line of a file in JSON form. Lines are only
// ever added to it, so a command that was killed goes on where it was.
type State[T any] struct {
	file *os.File // nil: nothing is kept
	Rows []*T
}

// OpenState reads a state file, and makes it if there is none. Without a name nothing is kept.
func OpenState[T any](name string) (*State[T], error) {
	s := &State[T]{}
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
		row := new(T)
		if err := json.Unmarshal(line, row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		s.Rows = append(s.Rows, row)
	}
	s.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return s, err
}

// Add adds an outcome to the file.
func (s *State[T]) Add(row *T) error {
	if s.file == nil {
		return nil
	}
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(text, '\n'))
	return err
}
