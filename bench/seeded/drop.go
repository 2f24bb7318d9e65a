package seeded

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Operations is how many operations on the mutex the source has.
func (m *Mutex) Operations() int { return len(m.ops) }

// At reports whether an operation on the mutex is in a line of a file.
func (m *Mutex) At(file string, line int) bool {
	for p, o := range m.ops {
		if p.file == file && o.line == line {
			return true
		}
	}
	return false
}

// Drop takes the operations out of the source of the module in dir, which has to be a copy of the one that they were found in (S2).
func (m *Mutex) Drop(dir string) error {
	if m.Kept != "" {
		return fmt.Errorf("%s stays: %s", m.Name, m.Kept)
	}
	files := map[string][]place{}
	for p := range m.ops {
		files[p.file] = append(files[p.file], p)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name := filepath.Join(dir, file)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		list := files[file]
		slices.SortFunc(list, func(x, y place) int { return cmp.Compare(y.offset, x.offset) }) // the last first
		for _, p := range list {
			o := m.ops[p]
			operand := string(text[o.operand[0]:o.operand[1]])
			text = slices.Concat(text[:p.offset], []byte(o.before+operand), text[o.end:])
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
