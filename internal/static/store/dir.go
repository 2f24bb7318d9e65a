package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Key says what an entry depends on.
type Key [sha256.Size]byte

// Keyer makes a key of what is written to it.
type Keyer struct{ h hash.Hash }

// NewKeyer returns an empty Keyer.
func NewKeyer() *Keyer { return &Keyer{sha256.New()} }

// Add writes strings, each with its length.
func (k *Keyer) Add(parts ...string) {
	for _, p := range parts {
		fmt.Fprintf(k.h, "%d:", len(p))
		_, _ = io.WriteString(k.h, p)
	}
}

// Key is the key of all that was added.
func (k *Keyer) Key() (key Key) {
	k.h.Sum(key[:0])
	return key
}

// Executable is the digest of the running program: summaries of another build are not used.
func Executable() (Digest, error) {
	var d Digest
	name, err := os.Executable()
	if err != nil {
		return d, err
	}
	f, err := os.Open(name)
	if err != nil {
		return d, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return d, err
	}
	h.Sum(d[:0])
	return d, nil
}

// Dir is a directory of entries. Processes on several machines may use one at the same time.
type Dir struct{ root string }

const (
	unusedFor  = 30 * 24 * time.Hour // then an entry is removed
	touchAfter = 24 * time.Hour
	claimFor   = 2 * time.Minute // then the process that has claimed a key is taken for dead
)

// Open makes the directory if it is not there.
func Open(root string) (*Dir, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("directory of summaries: %w", err)
	}
	return &Dir{root}, nil
}

func (d *Dir) file(k Key, suffix string) string {
	s := hex.EncodeToString(k[:])
	return filepath.Join(d.root, s[:2], s[2:]+suffix)
}

// Get returns an entry, nil if there is none.
func (d *Dir) Get(k Key) ([]byte, error) {
	name := d.file(k, "")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > touchAfter {
		now := time.Now()
		_ = os.Chtimes(name, now, now) // an entry that cannot be touched is removed early, no more
	}
	return data, nil
}

// Put makes an entry; another process that makes the same at the same time makes the same.
func (d *Dir) Put(k Key, data []byte) error {
	name := d.file(k, "")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Claim says that this process makes the entry; false means that another one does. A claim that has
// not become an entry in two minutes is void.
func (d *Dir) Claim(k Key) (bool, error) {
	name := d.file(k, ".claim")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return false, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil // done in this moment
		}
		if err != nil || time.Since(info.ModTime()) < claimFor {
			return false, err
		}
		now := time.Now()
		return true, os.Chtimes(name, now, now)
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// Release takes a claim back.
func (d *Dir) Release(k Key) { os.Remove(d.file(k, ".claim")) }

// Trim removes what was not used for long.
func (d *Dir) Trim() error {
	mark := filepath.Join(d.root, "trimmed")
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < touchAfter {
		return nil
	}
	err := filepath.WalkDir(d.root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > unusedFor {
			os.Remove(name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o600)
}
