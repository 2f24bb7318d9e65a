package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// copyModules makes writable copies of the modules that lie in the module cache, where the
// go command refuses an overlay, and a go.mod that has them in place of the originals. It returns
// the flag that selects it.
func (c *Config) copyModules(ctx context.Context, in *inputs, dir string) ([]string, error) {
	if len(in.modules) == 0 {
		return nil, nil
	}
	env, _, err := goEnv(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	if env.GOWORK != "" && env.GOWORK != "off" {
		return nil, errors.New("-instrument: in a workspace, modules of the module cache cannot be instrumented (set GOWORK=off)")
	}
	from := env.GOMOD
	if f, ok := flagValue(c.loadFlags(), "modfile"); ok {
		from = f
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return nil, fmt.Errorf("reading the go.mod: %w", err)
	}
	mod, err := modfile.Parse(from, data, nil)
	if err != nil {
		return nil, err
	}
	for module, original := range in.modules {
		path, _, _ := strings.Cut(module, "@")
		to := filepath.Join(dir, "mod", module)
		if err := copyTree(original, to); err != nil {
			return nil, fmt.Errorf("copying module %s: %w", module, err)
		}
		if err := mod.AddReplace(path, "", to, ""); err != nil {
			return nil, fmt.Errorf("replacing module %s: %w", module, err)
		}
	}
	if data, err = mod.Format(); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "go.mod")
	sum, _ := os.ReadFile(strings.TrimSuffix(from, ".mod") + ".sum")
	if err := errors.Join(os.WriteFile(name, data, 0o666), os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o666)); err != nil {
		return nil, fmt.Errorf("writing a go.mod: %w", err)
	}
	return []string{"-modfile=" + name}, nil
}

// copyTree copies the files of a directory; the copies can be written.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
}

// beneath reports whether name is in dir.
func beneath(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return dir != "" && name != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
