// Package private makes files and directories that are their owner's alone, and refuses those that
// somebody else can change. What presage keeps has values of the recorded program, which may be
// secrets, and programs that presage runs: the edited compiler, and what is built for a run.
//
//	(P1) A directory is made with mode 0700, a file with 0600, whatever the umask allows.
//	(P2) A file or directory is refused if another user owns it, or if its group or others can
//	     write it.
//	(P3) A directory is refused if others can write one of those above it, where the sticky bit
//	     does not keep them from renaming what is not theirs.
//
// # Soundness
//
// The owner of a directory above is not looked at: where a user works below the directory of
// another, the other one is trusted. Access control lists beyond the mode are not seen. On Windows,
// which has nothing but these lists, nothing is refused: a user's cache directory is the user's own
// there.
package private

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Modes of (P1).
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Check reports whether only this user can change a file or directory (P2). One that does not exist
// is nobody else's.
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

// CheckTree is Check for a directory, what is in it, and those above it (P2, P3).
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

// checkAbove looks at the directories above one (P3), that it is a link to likewise.
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

// MkdirAll makes a directory and those above it that are not there (P1), and refuses one that
// somebody else can change (P2).
func MkdirAll(dir string) error {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	return Check(dir)
}

// Create creates a file, or empties it (P1).
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

// WriteFile writes a file (P1).
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
