package recorder_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/record/recorder"
)

// TestUserFlags: a user's -gcflags stand in front of the recorder's, of the packages that they
// are for but the standard library's, and take the place of none.
func TestUserFlags(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module m\n\ngo 1.24\n",
		"main.go":  "package main\n\nimport \"m/sub\"\n\nfunc main() { sub.F() }\n",
		"sub/f.go": "package sub\n\nimport _ \"bytes\"\n\nfunc F() {}\n",
	} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
		write(t, filepath.Join(dir, name), []byte(text))
	}
	const (
		all   = "-gcflags=all=-race -d=checkptr=0"
		named = "-gcflags=m=-d=checkptr=0"
		sub   = "-gcflags=m/sub=-d=checkptr=0"
		std   = "-gcflags=bytes=-race -d=checkptr=0 -l"
	)
	for _, c := range []struct {
		goflags string
		user    []string
		want    []string
	}{
		{"", nil, []string{all, std, sub, named}},
		{"", []string{"-gcflags=-N"}, []string{all, std, sub, "-gcflags=m=-N -d=checkptr=0"}},
		{"", []string{"-gcflags=all=-N -l"}, []string{all, std, "-gcflags=m/sub=-N -l -d=checkptr=0", "-gcflags=m=-N -l -d=checkptr=0"}},
		{"", []string{"--gcflags=std=-N", "-tags=x"}, []string{all, std, sub, named}},
		{"", []string{"-gcflags=./...=-d=checkptr"}, []string{all, std, "-gcflags=m/sub=-d=checkptr -d=checkptr=0", "-gcflags=m=-d=checkptr -d=checkptr=0"}},
		{"", []string{"-gcflags=all=-N", "-gcflags=m/sub="}, []string{all, std, sub, "-gcflags=m=-N -d=checkptr=0"}},
		{"'-gcflags=all=-N -m'", []string{"-gcflags=-l"}, []string{all, std, "-gcflags=m/sub=-N -m -d=checkptr=0", "-gcflags=m=-l -d=checkptr=0"}},
	} {
		o, err := recorder.New(t.Context(), recorder.Config{Dir: dir, OutDir: t.TempDir(), Packages: []string{"."}, GoFlags: c.goflags, BuildFlags: c.user})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(slices.Clone(o.BuildFlags), func(f string) bool {
			path, _, _ := strings.Cut(strings.TrimPrefix(f, "-gcflags="), "=")
			return path != "all" && path != "bytes" && path != "m" && path != "m/sub"
		})
		slices.Sort(got)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", c.goflags, c.user, diff)
		}
	}
}
