// Package cache locks and seals entries of presage's cache.
//
// A lock is one of the kernel's (flock). It ends with its process, however the process ends.
//
// (HC1) An entry, which is a directory or a file, is sealed when it is complete. The seal is a file
// beside it with the name and digest of each of its files. An entry without a seal is not complete,
// and is made again.
//
// (HC2) A sealed entry is damaged if one of its files is missing, cannot be read, or has another
// digest. Files that were added later do not count as damage.
//
// A seal detects damage, not an attack: a user who can write to the cache can write seals. Package
// private keeps others from writing there.
package cache

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Damaged is the error of an entry that has changed since it was sealed (HC2).
type Damaged struct{ Entry, Why string }

func (d *Damaged) Error() string { return fmt.Sprintf("%s is damaged: %s", d.Entry, d.Why) }

// ErrUnsealed is the error of an entry that is not complete (HC1).
var ErrUnsealed = errors.New("the entry is not complete")

// SealSuffix follows the name of an entry in the name of its seal.
const SealSuffix = ".seal"

// The first and last lines of a seal.
const (
	sealHead = "presage seal 1"
	sealEnd  = "end"
)

// Seal writes the seal of an entry (HC1) that has the name named, or will be renamed to it. Files
// for which skip is true are not part of the entry.
func Seal(entry, named string, skip func(name string) bool) error {
	var text bytes.Buffer
	fmt.Fprintln(&text, sealHead)
	err := filepath.WalkDir(entry, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(entry, name)
		if err != nil || skip != nil && skip(rel) {
			return err
		}
		sum, err := digest(name)
		fmt.Fprintf(&text, "%016x %s\n", sum, rel)
		return err
	})
	if err != nil {
		return fmt.Errorf("sealing %s: %w", entry, err)
	}
	fmt.Fprintln(&text, sealEnd)
	tmp := named + SealSuffix + ".new"
	if err := os.WriteFile(tmp, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("sealing %s: %w", entry, err)
	}
	return os.Rename(tmp, named+SealSuffix)
}

// Unseal says that an entry is no longer complete: it is going to be changed.
func Unseal(entry string) error {
	if err := os.Remove(entry + SealSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Remove removes an entry with its seal.
func Remove(entry string) error { return errors.Join(Unseal(entry), os.RemoveAll(entry)) }

// Check returns nil for a complete entry, ErrUnsealed (HC1), or a Damaged (HC2).
func Check(entry string) error {
	if _, err := os.Stat(entry); errors.Is(err, fs.ErrNotExist) {
		return ErrUnsealed
	}
	text, err := os.ReadFile(entry + SealSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrUnsealed
	}
	if err != nil {
		return &Damaged{entry, "its seal cannot be read"}
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	if !lines.Scan() || lines.Text() != sealHead {
		return &Damaged{entry, "its seal is none"}
	}
	for lines.Scan() {
		if lines.Text() == sealEnd {
			return nil
		}
		want, name, _ := strings.Cut(lines.Text(), " ")
		switch sum, err := digest(filepath.Join(entry, name)); {
		case errors.Is(err, fs.ErrNotExist):
			return &Damaged{entry, name + " is missing"}
		case err != nil:
			return &Damaged{entry, name + " cannot be read"}
		case fmt.Sprintf("%016x", sum) != want:
			return &Damaged{entry, name + " was changed"}
		}
	}
	return &Damaged{entry, "its seal is cut off"}
}

func digest(name string) (uint64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	h := xxhash.New()
	_, err = io.Copy(h, f)
	return h.Sum64(), err
}
