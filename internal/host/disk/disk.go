// Package disk measures the free space of disks, and names the disk that is full.
//
// An error of the system names a file and says "no space left on device". It does not say which
// device, and the user may have several. The go command names files of its own, and which of them
// fail changes from run to run. So each failure for lack of space becomes a FullError. There are
// three kinds:
//
//   - An error is ENOSPC or EDQUOT. The full disk is that of the file that the error names.
//   - Another program printed the text of one of the two. The full disk is that of the file named
//     before the text, or of the directories that the program writes to.
//   - Another program failed, with any message, and writes to a disk without space. If the go
//     command cannot write its index of the standard library, it looks for packages without the
//     overlay, and reports that package runtime does not exist.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A FullError says that a disk has no room, or that the user may not have more of it.
type FullError struct {
	Where []string // it was written to, at that moment: one of them, if it is not known which one
	Said  string   // what failed
}

func newFull(dirs []string, said string) *FullError {
	e := &FullError{Said: strings.TrimSpace(said)}
	for _, dir := range dirs {
		e.Where = append(e.Where, Where(dir))
	}
	return e
}

func (e *FullError) Error() string {
	return fmt.Sprintf("no room on the disk: %s: %s", strings.Join(e.Where, "; or "), e.Said)
}

// Explain returns err as a FullError if it is ENOSPC or EDQUOT, otherwise err as it is.
func Explain(err error) error {
	var known *FullError
	if errors.As(err, &known) {
		return err
	}
	for _, no := range full {
		if errors.Is(err, no) {
			return newFull(named(err), err.Error())
		}
	}
	return err
}

// Full reports whether err says that a disk is full.
func Full(err error) bool {
	var e *FullError
	return errors.As(Explain(err), &e)
}

// named returns the directory of the file that err names.
func named(err error) []string {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return nil
	}
	name, linkErr := filepath.EvalSymlinks(path.Path) // of /dev/stdout, the file that it is
	if linkErr != nil {
		name = path.Path
	}
	return []string{filepath.Dir(name)}
}

// Said returns a FullError if text, which another program has printed, says that a disk is full.
// The program writes to dirs.
func Said(text string, dirs ...string) error {
	for line := range strings.Lines(text) {
		for _, no := range full {
			before, _, found := strings.Cut(line, no.Error())
			if !found {
				continue
			}
			if words := strings.Fields(before); len(words) > 0 && filepath.IsAbs(words[len(words)-1]) {
				dirs = []string{filepath.Dir(strings.TrimSuffix(words[len(words)-1], ":"))}
			}
			return newFull(dirs, line)
		}
	}
	return nil
}

// little is less than a program can be built with.
const little = 1 << 20

// short returns a FullError if a disk of dirs has no space. said is what a program printed that
// failed and writes to dirs.
func short(said string, dirs []string) error {
	for _, dir := range dirs {
		if n, err := Free(dir); err == nil && n < little {
			first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
			return newFull([]string{dir}, first)
		}
	}
	return nil
}

// Where says on which disk a directory is, and how much room there is.
func Where(dir string) string {
	n, err := Free(dir)
	if err != nil {
		return dir
	}
	return fmt.Sprintf("%s, on the disk mounted at %s, %s free", dir, mount(existing(dir)), Size(n))
}

// Free returns how many bytes the user may still write to the disk that a directory is on.
func Free(dir string) (int64, error) {
	n, err := free(existing(dir))
	if err != nil {
		return 0, fmt.Errorf("asking for the room on the disk of %s: %w", dir, err)
	}
	return n, nil
}

// existing returns dir, or what there is of it: it may have been removed, or not been made.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// mount returns the topmost directory of the file system that dir is on.
func mount(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for device(dir) == device(filepath.Dir(dir)) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}
