// Package private makes files and directories that only their owner can read, and refuses those
// that another user can change. presage keeps values of the recorded program, which may be secrets,
// and programs that it runs: the edited compiler, and what is built for a run.
//
// A directory is made with mode 0700 and a file with 0600, whatever the umask allows. A file or
// directory is refused if another user owns it, or if its group or others can write it. A directory
// is also refused if others can write a directory above it that has no sticky bit: they could
// rename it.
//
// # Soundness
//
// The owner of a directory above is not checked: a user who works below the directory of another
// user trusts that user. Access control lists are not checked, only modes. On Windows, which has
// only such lists, nothing is refused: a user's cache directory is the user's own there.
package private

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The modes, whatever the umask allows.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Check returns an error if another user can change a file or directory. It returns nil if the file
// does not exist.
func Check(name string) error {
	info, err := os.Stat(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return foreign(name, info)
}

// CheckTree is Check for a directory, its entries, and the directories above it.
func CheckTree(dir string) error {
	if err := Check(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range entries {
		if err := Check(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return checkAbove(dir)
}

// checkAbove checks the directories above a directory, or above the one that it links to.
func checkAbove(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir // not there yet
	}
	for up := filepath.Dir(real); ; up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if err == nil && modes && info.Mode()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return &Unsafe{dir, fmt.Sprintf("everybody can write %s above it (mode %04o)", up, info.Mode().Perm()), "set PRESAGE_CACHE to a directory elsewhere"}
		}
		if up == filepath.Dir(up) {
			return nil
		}
	}
}

// MkdirAll makes a directory and the missing ones above it. It refuses a directory that another
// user can change.
func MkdirAll(dir string) error {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	return Check(dir)
}

// Create creates a file for its owner alone, or empties it.
func Create(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm() != fileMode {
		err = f.Chmod(fileMode)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// WriteFile writes a file for its owner alone.
func WriteFile(name string, data []byte) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
