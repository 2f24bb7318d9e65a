package goversion

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTry applies every patch to the installed Go, and finds each file of patches in a set.
func TestTry(t *testing.T) {
	root, version := installed(t)
	for _, set := range Sets {
		all, err := NewFiles(version, root).Try(set)
		if err := errors.Join(append(all, err)...); err != nil {
			t.Errorf("%s: %v", set, err)
		}
	}
	entries, err := patches.ReadDir("patches")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		inSet := func(set Set) bool { return slices.Contains(setFiles[set], e.Name()) }
		if !slices.ContainsFunc(Sets, inSet) {
			t.Errorf("%s is in no set", e.Name())
		}
	}
}

// TestSpans: each hunk is for a version that is supported.
func TestSpans(t *testing.T) {
	for _, set := range Sets {
		for _, name := range setFiles[set] {
			all, err := readPatch(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range all {
				if !slices.ContainsFunc(Versions(), h.span.contains) {
					t.Errorf("%s is for no supported version", h.name)
				}
			}
		}
	}
}

// TestBroken breaks each patched file of a copy of GOROOT: the error names the first patch that
// needs it.
func TestBroken(t *testing.T) {
	root, version := installed(t)
	for _, set := range Sets {
		all, err := hunks(set, version)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, h := range all {
			if h.new || seen[h.file] {
				continue
			}
			seen[h.file] = true
			f := NewFiles(version, root)
			f.Add(h.file, []byte("package broken\n"))
			err := f.Patch(set)
			var e *PatchError
			if !errors.As(err, &e) || e.Patch != h.name || e.File != h.file || e.Anchor != h.anchor || e.Found != 0 || e.Want != h.times {
				t.Errorf("%s: with another %s: %v", set, h.file, err)
			}
		}
	}
}

// TestApply applies hunks to a file.
func TestApply(t *testing.T) {
	const src = "\tif a {\n\t\tif a {\n\n\t\t}\n\t}\n\tf(x)\n"
	for _, test := range []struct{ hunks, want string }{
		{"@@\n-\tif a {\n+\tif b {\n", "\tif b {\n\t\tif a {\n\n\t\t}\n\t}\n\tf(x)\n"},
		{"@@\n \t\tif a {\n\n+\t\t\tg()\n\n\n", "\tif a {\n\t\tif a {\n\n\t\t\tg()\n\t\t}\n\t}\n\tf(x)\n"},
		{"@@ since go1.27\n-no\n@@ until go1.25\n-no\n@@ since go1.26 until go1.26\n-\tf(x)\n", "\tif a {\n\t\tif a {\n\n\t\t}\n\t}\n"},
		{"@@ 2 times within\n", "unknown condition"},
		{"@@ 2 times\n-\tif a {\n", "which has these lines once, not 2 times"},
		{"@@ within\n-f\n+g\n", "which has these lines 3 times, not once"},
		{"@@ within\n-x\n+y\n", "\tif a {\n\t\tif a {\n\n\t\t}\n\t}\n\tf(y)\n"},
		{"@@ within\n-x\n+y\n+z\n", "is within a line and has several"},
		{"@@\n+x\n", "has no anchor"},
		{"@@ new\n x\n", "is new and has an anchor"},
		{"@@ new\n+x\n", "file already exists"},
		{"@@ since 1.26\n-x\n", "is not a version"},
		{"@@\nx\n", "begins with a space, a minus or a plus"},
		{"# comment\n\nx\n", "a line outside of a hunk"},
		{"@@\n-\tf(x)\n+\tg(x)\n@@\n-\tg(x)\n", "\tif a {\n\t\tif a {\n\n\t\t}\n\t}\n"},
	} {
		if got := applied(t, src, "--- a.go\n"+test.hunks); !strings.Contains(got, test.want) || strings.HasPrefix(test.want, "\t") && got != test.want {
			t.Errorf("%q gives %q, not %q", test.hunks, got, test.want)
		}
	}
	if _, err := parsePatch("p", "@@\n-x\n"); err == nil {
		t.Error("a hunk without a file has no error")
	}
}

// applied is src with patches for go1.26, or the error.
func applied(t *testing.T, src, patches string) string {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, "src", "a.go")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(src), 0o666)); err != nil {
		t.Fatal(err)
	}
	all, err := parsePatch("a.diff", patches)
	if err != nil {
		return err.Error()
	}
	f := NewFiles("go1.26.8", root)
	for _, h := range all {
		if !h.span.contains("go1.26") {
			continue
		}
		if err := f.apply(h); err != nil {
			return err.Error()
		}
	}
	out, err := f.Source("a.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSupported: the versions, and the text for others.
func TestSupported(t *testing.T) {
	for v, want := range map[string]bool{
		"go1.26.8": true, "go1.26rc1": true, "go1.26.8 X:foo": true, "go1.26-custom": true, "go1.25": true,
		"go1.24.1": false, "go1.999": false, "devel go1.26-abc": false, "": false,
	} {
		for _, arch := range Archs {
			if err := Supported(v, OS, arch); (err == nil) != want {
				t.Errorf("%q on %s: %v", v, arch, err)
			}
		}
	}
	want := fmt.Sprintf("go1.26.8 on linux/riscv64 is not supported; presage records with %s on linux/amd64 and linux/arm64", strings.Join(Versions(), ", "))
	if err := Supported("go1.26.8", "linux", "riscv64"); err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}
