package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"", ""},
		{"# nothing\n", ""},
		{"level: hb\ntime: 10m # a comment\nwindow: 500\nconfirm: off\n", "level=hb@1 time=10m@2 window=500@3 confirm=off@4"},
		{"exclude: ./gen/...\nonly:\n  - a.com/b\n  - ./...\n", "exclude=./gen/...@1 only=a.com/b,./...@3"},
		{"vet:\n  tier: possible\n  baseline: b/c.txt\n", "vet.tier=possible@2 vet.baseline=b/c.txt@3"},
		{"format: github\n", "format=github@1"},
		// errors
		{"levl: hb\n", `presage.yaml:1: unknown key "levl"; did you mean level?`},
		{"a: 1\nwindo: 2\n", "presage.yaml:1: unknown key \"a\" (presage config lists the keys)\npresage.yaml:2: unknown key \"windo\"; did you mean window?"},
		{"vet:\n  teir: x\n", `presage.yaml:2: unknown key "vet.teir"; did you mean vet.tier?`},
		{"vet: x\n", "presage.yaml:1: it is no list of keys with values, as level: path"},
		{"level: hb\nlevel: path\n", "presage.yaml:2: level is there twice"},
		{"level: [hb]\n", "presage.yaml:1: level takes one value"},
		{"level:\n", "presage.yaml:1: level has no value"},
		{"level: {a: b}\n", "presage.yaml:1: level takes one value"},
		{"- level\n", "presage.yaml:1: it is no list of keys with values, as level: path"},
		{"hello\n", "presage.yaml:1: it is no list of keys with values, as level: path"},
		{"level: hb\n---\nlevel: hb\n", "presage.yaml:2: a second document"},
		{"level: hb\n  x: [\n", "presage.yaml:2: mapping values are not allowed in this context"},
		// what could run a program, write a file, or take long
		{"on-race: touch x\n", `presage.yaml:1: unknown key "on-race" (presage config lists the keys)`},
		{"o: /tmp/x\n", `presage.yaml:1: unknown key "o" (presage config lists the keys)`},
		{"exec: x\n", `presage.yaml:1: unknown key "exec" (presage config lists the keys)`},
		{"format: sarif=/tmp/x\n", `presage.yaml:1: format: "sarif=/tmp/x" names more than a form: files are for the command line`},
		{"exclude: [-toolexec=x]\n", `presage.yaml:1: exclude: "-toolexec=x" is no package below the module and no import path`},
		{"only: ../other\n", `presage.yaml:1: only: "../other" is no package below the module and no import path`},
		{"instrument: /etc/...\n", `presage.yaml:1: instrument: "/etc/..." is no package below the module and no import path`},
		{"baseline: ../x\n", `presage.yaml:1: baseline: "../x" is no file below the root of the module`},
		{"baseline: /etc/passwd\n", `presage.yaml:1: baseline: "/etc/passwd" is no file below the root of the module`},
		{"level: &x hb\nstatic: *x\n", "presage.yaml:1: level: anchors, aliases and tags are not allowed\npresage.yaml:2: static: anchors, aliases and tags are not allowed"},
		{"level: !!binary aGI=\n", "presage.yaml:1: level: anchors, aliases and tags are not allowed"},
		{"level: \"a\\nb\"\n", "presage.yaml:1: level: a value has no control characters"},
		{"exclude: [[a]]\n", "presage.yaml:1: exclude: a value is a word"},
	} {
		values, err := Parse([]byte(x.text))
		var got []string
		for _, v := range values {
			got = append(got, fmt.Sprintf("%s=%s@%d", v.Key, strings.Join(v.Values, ","), v.Line))
		}
		text := strings.Join(got, " ")
		if err != nil {
			text = err.Error()
		}
		if diff := cmp.Diff(x.want, text); diff != "" {
			t.Errorf("%q (-want +got):\n%s", x.text, diff)
		}
	}
}

// TestFiles: what is no small regular file is an error, and so is a baseline that a link leads out
// of the module.
func TestFiles(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, Name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := Read(dir); err != nil || len(f.Values) > 0 {
		t.Errorf("without a file: %v, %v", f, err)
	}
	if err := os.Symlink(out, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(out, "none"), filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"baseline: new/known.txt\nexclude: [./a/..., b]\n": "",
		"baseline: link/known.txt\n":                       "leads out of the module",
		"baseline: dangling\n":                             "leads out of the module",
		strings.Repeat("# x\n", 20000):                     "is larger than 64 kB",
	} {
		write(text)
		f, err := Read(dir)
		if want == "" {
			values := [][]string{{filepath.Join(dir, "new", "known.txt")}, {filepath.Join(dir, "a") + "/...", "b"}}
			if err != nil || !cmp.Equal(values, [][]string{f.Values[0].Values, f.Values[1].Values}) {
				t.Errorf("%v: %v", err, f)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, Name)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, Name), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a directory: %v", err)
	}
}

// FuzzParse: any bytes are values of known keys, or an error.
func FuzzParse(f *testing.F) {
	f.Add("level: hb\nexclude: [./a, b]\nvet:\n  tier: x\n")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := Parse([]byte(text))
		for _, v := range values {
			if err == nil && (len(v.Values) == 0 && !strings.Contains(text, "[") || v.Line < 1) {
				t.Errorf("%+v", v)
			}
		}
	})
}
