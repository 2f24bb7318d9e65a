package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entryAt makes an entry with two files, not sealed yet.
func entryAt(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "entry")
	for name, text := range map[string]string{"a": "a", "sub/b": "b", "sub/c.bin": "c"} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func seal(t *testing.T, dir string) {
	t.Helper()
	if err := Seal(dir, dir, func(name string) bool { return strings.HasSuffix(name, ".bin") }); err != nil {
		t.Fatal(err)
	}
}

// TestCheck holds (HC1) and (HC2).
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(dir string) error
		want   string // "": whole
	}{
		{"whole", func(string) error { return nil }, ""},
		{"a file that was left out", func(dir string) error { return os.Remove(dir + "/sub/c.bin") }, ""},
		{"a file more", func(dir string) error { return os.WriteFile(dir+"/d", nil, 0o666) }, ""},
		{"a missing file", func(dir string) error { return os.Remove(dir + "/sub/b") }, "sub/b is missing"},
		{"a missing directory", func(dir string) error { return os.RemoveAll(dir + "/sub") }, "sub/b is missing"},
		{"an empty file", func(dir string) error { return os.Truncate(dir+"/a", 0) }, "a was changed"},
		{"a changed file", func(dir string) error { return os.WriteFile(dir+"/a", []byte("b"), 0o666) }, "a was changed"},
		{"a directory for a file", func(dir string) error { return errors.Join(os.Remove(dir+"/a"), os.Mkdir(dir+"/a", 0o777)) }, "a cannot be read"},
		{"a cut seal", func(dir string) error { return os.Truncate(dir+SealSuffix, 30) }, "is damaged"},
		{"an empty seal", func(dir string) error { return os.Truncate(dir+SealSuffix, 0) }, "its seal is none"},
		{"no seal", func(dir string) error { return Unseal(dir) }, ErrUnsealed.Error()},
		{"no entry", func(dir string) error { return os.RemoveAll(dir) }, ErrUnsealed.Error()},
		{"removed", Remove, ErrUnsealed.Error()},
	} {
		dir := entryAt(t)
		seal(t, dir)
		if err := c.change(dir); err != nil {
			t.Fatal(err)
		}
		err := Check(dir)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := (*Damaged)(nil); errors.As(err, &d) && d.Entry != dir {
			t.Errorf("%s: of %s", c.name, d.Entry)
		}
	}
}

// TestSealFile: a file is an entry, too, and one that is made elsewhere is sealed before it is
// renamed.
func TestSealFile(t *testing.T) {
	dir := t.TempDir()
	tmp, file := filepath.Join(dir, "tmp"), filepath.Join(dir, "file")
	if err := errors.Join(os.WriteFile(tmp, []byte("x"), 0o666), Seal(tmp, file, nil)); err != nil {
		t.Fatal(err)
	}
	if err := Check(file); err != ErrUnsealed {
		t.Error(err)
	}
	if err := errors.Join(os.Rename(tmp, file), Check(file)); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("y"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Check(file); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Error(err)
	}
	if err := Seal(filepath.Join(dir, "none"), file, nil); err == nil {
		t.Error("an entry that is not there was sealed")
	}
}

// TestLock: a lock ends with its process.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	a, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a.Alone() {
		t.Error("alone beside another")
	}
	b.Release()
	if !a.Alone() {
		t.Error("not alone")
	}
	c, err := OpenLock(dir + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if c.TryShared() {
		t.Error("shared beside an exclusive lock")
	}
	a.Release()
	if !c.TryShared() {
		t.Error("not shared after its release")
	}
	if _, err := FindLock(dir + "/none"); err == nil {
		t.Error("a lock that is not there was found")
	}
}
