package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/host/cache"
)

// TestRestore: a build is taken again if it is sealed and whole; one that is damaged says so, and
// one that is not complete does not.
func TestRestore(t *testing.T) {
	in := &inputs{key: "k"}
	for _, c := range []struct {
		name   string
		change func(dir string) error
		taken  bool
		damage string
	}{
		{"whole", func(string) error { return nil }, true, ""},
		{"changed", func(dir string) error { return os.WriteFile(filepath.Join(dir, "src.go"), nil, 0o600) }, false, "src.go was changed"},
		{"missing", func(dir string) error { return os.Remove(filepath.Join(dir, "src.go")) }, false, "src.go is missing"},
		{"no manifest", func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) }, false, "manifest.json is missing"},
		{"not complete", cache.Unseal, false, ""},
		{"a compiler that is gone", func(dir string) error {
			data, err := json.Marshal(&build{Key: "k", Compiler: filepath.Join(dir, "none", "compile")})
			if err == nil {
				err = writeFile(filepath.Join(dir, "manifest.json"), data)
			}
			if err == nil {
				err = cache.Seal(dir, dir, nil)
			}
			return err
		}, false, ""},
	} {
		dir := filepath.Join(t.TempDir(), "build")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "src.go"), []byte("package p"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := (&build{Key: "k"}).save(dir); err != nil {
			t.Fatal(err)
		}
		if err := c.change(dir); err != nil {
			t.Fatal(err)
		}
		b, damage := restore(dir, in)
		if (b != nil) != c.taken || (damage == nil) != (c.damage == "") || damage != nil && !strings.Contains(damage.Error(), c.damage) {
			t.Errorf("%s: taken %v, %v", c.name, b != nil, damage)
		}
	}
}

// TestCopyWhole: a copy of a module that is damaged is made anew, and said; one that is whole
// stays.
func TestCopyWhole(t *testing.T) {
	from, to := moduleAt(t, t.TempDir()), filepath.Join(t.TempDir(), "mod", "m@v1")
	m := &module{path: "m", dir: from}
	var c Config
	for _, step := range []struct {
		change func() error
		healed int
	}{
		{func() error { return nil }, 0},
		{func() error { return nil }, 0},
		{func() error { return os.Truncate(filepath.Join(to, "go.mod"), 3) }, 1},
		{func() error { return nil }, 1},
		// of an earlier presage, or killed
		{func() error { return os.Remove(to + cache.SealSuffix) }, 1},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		if err := c.copyWhole(m, to); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(to, "go.mod")); string(text) != "module m\n" || cache.Check(to) != nil {
			t.Errorf("%q, %v", text, err)
		}
		if len(c.healed) != step.healed {
			t.Errorf("healed %v, want %d", c.healed, step.healed)
		}
	}
}
