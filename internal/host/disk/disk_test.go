//go:build linux

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestExplain: what is for want of room names the disk and the directory, and nothing else does.
func TestExplain(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "not", "made", "x.go")
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("no"), false},
		{&fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}, false},
		{&fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}, true},
		{fmt.Errorf("writing: %w", errors.Join(nil, &fs.PathError{Op: "write", Path: name, Err: syscall.EDQUOT})), true},
		{fmt.Errorf("running: %w", Said("go: mkdir x: no space left on device", filepath.Dir(name))), true},
	} {
		err := Explain(test.err)
		if Full(test.err) != test.want || !test.want && err != test.err {
			t.Errorf("%v: %v", test.err, err)
		}
		if !test.want {
			continue
		}
		for _, part := range []string{"no room on the disk", filepath.Dir(name), "mounted at " + mount(dir), test.err.Error()} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
	}
}

// TestWrite: an error as the system makes it.
func TestWrite(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device that is always full: ", err)
	}
	defer f.Close()
	if _, err := f.WriteString("x"); !Full(err) || !strings.Contains(Explain(err).Error(), "/dev, on the disk mounted at /") {
		t.Error(Explain(err))
	}
}

func TestSaid(t *testing.T) {
	for _, test := range []struct{ text, dir, said string }{
		{"", "", ""},
		{"# example.com/m\n./m.go:1:1: syntax error\n", "", ""},
		{"# m\nwrite $WORK/b001/_pkg_.a: no space left on device\n./m.go:1:1: and so on\n", "/a", "write $WORK/b001/_pkg_.a: no space left on device"},
		{"go: creating work dir: mkdir /b/go-build1: disk quota exceeded", "/b", "go: creating work dir: mkdir /b/go-build1: disk quota exceeded"},
		{"link: mapping output file failed: no space left on device\n", "/a", "link: mapping output file failed: no space left on device"},
	} {
		var e *FullError
		if errors.As(Said(test.text, "/a"), &e) != (test.said != "") || e != nil && (e.Said != test.said || !strings.HasPrefix(e.Where[0], test.dir+", ")) {
			t.Errorf("%q: %v", test.text, e)
		}
	}
}

// TestShort needs a small disk.
func TestShort(t *testing.T) {
	dir := t.TempDir()
	if err := short("exit status 1", []string{dir}); err != nil {
		t.Skip("the disk of the tests has no room: ", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("a small disk cannot be mounted: ", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	if err := short("package runtime is not in std\npackage sync is not in std\n", []string{filepath.Dir(dir), dir}); !Full(err) || !strings.Contains(err.Error(), "mounted at "+dir+", 64K free: package runtime is not in std") {
		t.Error(err)
	}
}

func TestShare(t *testing.T) {
	for s, want := range map[string]Share{
		"1": {Bytes: 1}, "500M": {Bytes: 500 << 20}, "1.5G": {Bytes: 3 << 29}, "2T": {Bytes: 2 << 40}, "12K": {Bytes: 12 << 10},
		"25%": {Percent: 25}, "0.5%": {Percent: 0.5}, "100%": {Percent: 100},
	} {
		if got, err := ParseShare(s); err != nil || got != want {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "G", "0", "-1", "101%", "0%", "1GB", "many", "NaN", "Inf", "1e30", "0.1"} {
		if got, err := ParseShare(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
	dir := t.TempDir()
	free, err := Free(dir)
	if err != nil {
		t.Fatal(err)
	}
	half, err := Share{}.Of(dir)
	if ratio := float64(half) / float64(free); err != nil || ratio < 0.45 || ratio > 0.55 {
		t.Errorf("%d of %d, %v", half, free, err)
	}
	if n, err := (Share{Bytes: 7}).Of("/nowhere"); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1023: "1", 3 << 29: "1.5G", 500 << 20: "500M", 1 << 20: "1M", 27 << 30: "27G"} {
		if n == 1023 {
			want = "0.999K"
		}
		if got := Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
