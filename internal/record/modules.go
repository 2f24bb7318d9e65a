package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// copyModules makes writable copies of the modules that lie in the module cache, where the
// go command refuses an overlay, and lets the build take them in place of the originals:
// b.Flags selects a go.mod with the replacements or, in a workspace, b.LoadEnv a go.work. The copy of a version is at one place for all builds, so what
// the compiler has made of it, with the same text emitted, is taken again.
func (c *Config) copyModules(ctx context.Context, in *inputs, dir string, b *build) error {
	if len(in.modules) == 0 {
		return nil
	}
	env, _, err := goEnv(ctx, c.Dir)
	if err != nil {
		return err
	}
	copies := make(map[string]string) // by module path
	for module, original := range in.modules {
		path, _, _ := strings.Cut(module, "@")
		rel, err := filepath.Rel(env.GOMODCACHE, original) // the version of what replaces it, if something does
		if err != nil {
			return fmt.Errorf("copying module %s: %w", module, err)
		}
		copies[path] = filepath.Join(filepath.Dir(filepath.Dir(dir)), "mod", rel)
		if err := copyWhole(original, copies[path]); err != nil {
			return fmt.Errorf("copying module %s: %w", module, err)
		}
		b.Copies = append(b.Copies, copies[path])
	}
	slices.Sort(b.Copies)
	if env.GOWORK != "" && env.GOWORK != "off" {
		b.LoadEnv = []string{"GOWORK=" + filepath.Join(dir, "go.work")}
		return replaceInWork(env.GOWORK, copies, dir)
	}
	from := env.GOMOD
	if f, ok := flagValue(c.loadFlags(), "modfile"); ok {
		from = f
	}
	b.Flags = []string{"-modfile=" + filepath.Join(dir, "go.mod")}
	return replaceInMod(from, copies, dir)
}

// replaceInMod writes a go.mod, with its go.sum, that has the copies in place of the modules.
func replaceInMod(from string, copies map[string]string, dir string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("reading the go.mod: %w", err)
	}
	mod, err := modfile.Parse(from, data, nil)
	if err != nil {
		return err
	}
	for path, to := range copies {
		if err := mod.AddReplace(path, "", to, ""); err != nil {
			return fmt.Errorf("replacing module %s: %w", path, err)
		}
	}
	if data, err = mod.Format(); err != nil {
		return err
	}
	sum, _ := os.ReadFile(strings.TrimSuffix(from, ".mod") + ".sum")
	return writeModFile(dir, "go.mod", data, "go.sum", sum)
}

// replaceInWork does so for a workspace. The directories that its go.work names are
// relative to it, so they are written out.
func replaceInWork(from string, copies map[string]string, dir string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("reading the go.work: %w", err)
	}
	work, err := modfile.ParseWork(from, data, nil)
	if err != nil {
		return err
	}
	var uses []*modfile.Use
	for _, u := range work.Use {
		uses = append(uses, &modfile.Use{Path: absolute(u.Path, from), ModulePath: u.ModulePath})
	}
	work.SetUse(uses)
	for _, r := range slices.Clone(work.Replace) {
		if r.New.Version == "" {
			if err := work.AddReplace(r.Old.Path, r.Old.Version, absolute(r.New.Path, from), ""); err != nil {
				return fmt.Errorf("replacing module %s: %w", r.Old.Path, err)
			}
		}
	}
	for path, to := range copies {
		if err := work.AddReplace(path, "", to, ""); err != nil {
			return fmt.Errorf("replacing module %s: %w", path, err)
		}
	}
	work.Cleanup()
	sum, _ := os.ReadFile(from + ".sum")
	return writeModFile(dir, "go.work", modfile.Format(work.Syntax), "go.work.sum", sum)
}

// absolute is a directory that a file names, relative to the file or not.
func absolute(dir, file string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(filepath.Dir(file), dir)
}

func writeModFile(dir, name string, data []byte, sumName string, sum []byte) error {
	if err := errors.Join(os.WriteFile(filepath.Join(dir, name), data, 0o666), os.WriteFile(filepath.Join(dir, sumName), sum, 0o666)); err != nil {
		return fmt.Errorf("writing a %s: %w", name, err)
	}
	return nil
}

// copyWhole is CopyTree, unless to is there. No process sees half of it.
func copyWhole(from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return err
	}
	if err := CopyTree(from, tmp); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if err = os.Rename(tmp, to); err == nil {
		return nil
	}
	os.RemoveAll(tmp)
	if _, there := os.Stat(to); there == nil { // another process was faster
		return nil
	}
	return err
}

// CopyTree copies the files of a directory; the copies can be written.
func CopyTree(from, to string) error {
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
		mode := fs.FileMode(0o666)
		if info, err := d.Info(); err == nil {
			mode |= info.Mode() & 0o111
		}
		return os.WriteFile(target, data, mode)
	})
}

// beneath reports whether name is in dir.
func beneath(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return dir != "" && name != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
