//go:build unix

package private

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestModes: whatever the umask is, what is made is its owner's alone.
func TestModes(t *testing.T) {
	top := t.TempDir()
	defer syscall.Umask(syscall.Umask(0))
	dir, file := filepath.Join(top, "a", "b"), filepath.Join(top, "a", "b", "f")
	if err := MkdirAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(file, []byte("x")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{dir: 0o700, filepath.Dir(dir): 0o700, file: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(file, []byte("y")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a file that was there: %v %v", info.Mode(), err)
	}
}

func TestCheck(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "cache")
	inside := filepath.Join(dir, "compiler")
	if err := CheckTree(dir); err != nil {
		t.Errorf("not there yet: %v", err)
	}
	if err := MkdirAll(inside); err != nil {
		t.Fatal(err)
	}
	mode := func(name string, m os.FileMode) {
		t.Helper()
		if err := os.Chmod(name, m); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		of   string
		mode os.FileMode
		want string // "": taken
	}{
		{"its owner's", dir, 0o700, ""},
		{"others can read", dir, 0o755, ""},
		{"others can write", dir, 0o777, "others than you can write it (mode 0777)"},
		{"the group can write", dir, 0o770, "(mode 0770)"},
		{"inside", inside, 0o777, "compiler is not used, because others"},
		{"above", top, 0o777, "everybody can write"},
		{"above, sticky", top, 0o777 | os.ModeSticky, ""},
	} {
		mode(c.of, c.mode)
		err := CheckTree(dir)
		var unsafe *Unsafe
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &unsafe) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
		mode(c.of, 0o700)
	}
}

// TestOwner needs somebody else's directory.
func TestOwner(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chown(dir, os.Geteuid()+1, -1); err != nil {
		dir = "/"
		if os.Geteuid() == 0 {
			t.Skip(err)
		}
	}
	if err := Check(dir); err == nil || !strings.Contains(err.Error(), "owns it") || !strings.Contains(err.Error(), "PRESAGE_CACHE") {
		t.Error(err)
	}
}
