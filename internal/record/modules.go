package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/presage-race/presage/internal/host/cache"
)

// A module is one of the module cache that a copy takes the place of.
type module struct {
	path, version string
	dir           string // of what it is replaced with, if something replaces it
	goMod         string // a file: in dir, or made by the go command for a module that has none
	sum           string // of its files, see sumModule
	copied        string // the directory of the copy
}

// modFile is the go.mod or the go.work that says which modules a build takes, with its sums.
type modFile struct {
	name      string // absolute
	work      bool
	data, sum []byte
}

// readModFile reads the file that the go command uses in dir: that of -modfile before that of the
// module.
func readModFile(dir string, flags []string, env *goSettings) (f modFile, err error) {
	f = modFile{name: env.GOMOD}
	sumName := ""
	if f.work = env.GOWORK != "" && env.GOWORK != "off"; f.work {
		f.name, sumName = env.GOWORK, env.GOWORK+".sum"
	} else {
		if name, ok := flagValue(flags, "modfile"); ok {
			f.name = name
			if !filepath.IsAbs(name) { // the go command reads it after -C
				f.name = filepath.Join(in(dir), name)
			}
		}
		sumName = strings.TrimSuffix(f.name, ".mod") + ".sum"
	}
	if f.data, err = os.ReadFile(f.name); err != nil {
		return f, fmt.Errorf("reading the %s: %w", filepath.Base(f.name), err)
	}
	if f.sum, err = os.ReadFile(sumName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f, fmt.Errorf("reading the %s: %w", filepath.Base(sumName), err)
	}
	return f, nil
}

// identify makes the modules part of the key: what their files hold, for somebody may edit the
// module cache, and which go.mod selects them. A build whose go.mod has changed since is not
// taken again.
func (in *inputs) identify(dir string, flags []string, env *goSettings, h *hasher) (err error) {
	if len(in.modules) == 0 {
		return nil
	}
	if in.modFile, err = readModFile(dir, flags, env); err != nil {
		return err
	}
	h.add(in.modFile.name, string(in.modFile.data), string(in.modFile.sum))
	for i := range in.modules {
		m := &in.modules[i]
		if m.sum, err = sumModule(m); err != nil {
			return fmt.Errorf("reading module %s: %w", m.path, err)
		}
		h.add(m.path, m.version, m.dir, m.sum)
	}
	return nil
}

// sumModule is a hash of the files of a module, and of its go.mod.
func sumModule(m *module) (string, error) {
	h := newHasher()
	err := filepath.WalkDir(m.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		h.add(name[len(m.dir):], string(data))
		return err
	})
	if err == nil && m.goMod != "" {
		var data []byte
		data, err = os.ReadFile(m.goMod)
		h.add(string(data))
	}
	return h.sum(), err
}

// copyModules makes writable copies of the modules that lie in the module cache, where the go
// command refuses an overlay, and lets the build take them in place of the originals: b.Flags
// selects a go.mod with the replacements or, in a workspace, b.LoadEnv a go.work. The copy of a
// version with the same files is at one place for all builds, so the compiler's results for it,
// if the same text is emitted, are used again.
func (c *Config) copyModules(ctx context.Context, in *inputs, dir string, b *build) error {
	if len(in.modules) == 0 {
		return nil
	}
	env, _, err := goEnv(ctx, c.Dir)
	if err != nil {
		return err
	}
	for i := range in.modules {
		m := &in.modules[i]
		rel, err := filepath.Rel(env.GOMODCACHE, m.dir)
		if err != nil {
			return fmt.Errorf("copying module %s: %w", m.path, err)
		}
		m.copied = filepath.Join(filepath.Dir(filepath.Dir(dir)), "mod", m.sum, rel)
		if err := c.copyWhole(m, m.copied); err != nil {
			return fmt.Errorf("copying module %s: %w", m.path, err)
		}
		b.Copies = append(b.Copies, m.copied)
	}
	slices.Sort(b.Copies)
	if in.modFile.work {
		b.LoadEnv = []string{"GOWORK=" + filepath.Join(dir, "go.work")}
		return replaceInWork(&in.modFile, in.modules, dir)
	}
	b.Flags = []string{"-modfile=" + filepath.Join(dir, "go.mod")}
	return replaceInMod(&in.modFile, in.modules, dir)
}

// replaceInMod writes a go.mod, with its go.sum, that has the copies in place of the modules.
// Only the selected version of a module is replaced.
func replaceInMod(from *modFile, modules []module, dir string) error {
	mod, err := modfile.Parse(from.name, from.data, nil)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := mod.AddReplace(m.path, m.version, m.copied, ""); err != nil {
			return fmt.Errorf("replacing module %s: %w", m.path, err)
		}
	}
	data, err := mod.Format()
	if err != nil {
		return err
	}
	return writeModFile(dir, "go.mod", data, "go.sum", from.sum)
}

// replaceInWork does so for a workspace. The directories that its go.work names are
// relative to it, so they are written out.
func replaceInWork(from *modFile, modules []module, dir string) error {
	work, err := modfile.ParseWork(from.name, from.data, nil)
	if err != nil {
		return err
	}
	var uses []*modfile.Use
	for _, u := range work.Use {
		uses = append(uses, &modfile.Use{Path: absolute(u.Path, from.name), ModulePath: u.ModulePath})
	}
	work.SetUse(uses)
	var replaces []modfile.Replace
	for _, r := range work.Replace {
		replaces = append(replaces, *r)
	}
	for _, r := range replaces {
		if err := work.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return fmt.Errorf("replacing module %s: %w", r.Old.Path, err)
		}
	}
	work.Cleanup()
	// AddReplace without a version drops replacements of single versions, so those come later.
	slices.SortStableFunc(replaces, func(a, b modfile.Replace) int {
		return cmp.Compare(a.Old.Version, b.Old.Version)
	})
	for _, r := range replaces {
		to := r.New.Path
		if r.New.Version == "" {
			to = absolute(to, from.name)
		}
		if err := work.AddReplace(r.Old.Path, r.Old.Version, to, r.New.Version); err != nil {
			return fmt.Errorf("replacing module %s: %w", r.Old.Path, err)
		}
	}
	for _, m := range modules {
		if err := work.AddReplace(m.path, m.version, m.copied, ""); err != nil {
			return fmt.Errorf("replacing module %s: %w", m.path, err)
		}
	}
	work.Cleanup()
	return writeModFile(dir, "go.work", modfile.Format(work.Syntax), "go.work.sum", from.sum)
}

// absolute is a directory that a file names, relative to the file or not.
func absolute(dir, file string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(filepath.Dir(file), dir)
}

func writeModFile(dir, name string, data []byte, sumName string, sum []byte) error {
	if err := errors.Join(os.WriteFile(filepath.Join(dir, name), data, 0o600), os.WriteFile(filepath.Join(dir, sumName), sum, 0o600)); err != nil {
		return fmt.Errorf("writing a %s: %w", name, err)
	}
	return nil
}

// copyWhole copies a module, unless to is a whole copy. No process sees half of it. A directory in
// place of a module needs a go.mod.
func (c *Config) copyWhole(m *module, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	lock, err := cache.LockDir(to)
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := lock.Exclusive(); err != nil {
		return err
	}
	switch err := cache.Check(to); {
	case err == nil:
		return nil
	case !errors.Is(err, cache.ErrUnsealed):
		c.heals(err)
	}
	if err := cache.Remove(to); err != nil { // damaged, or of an earlier presage
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return err
	}
	if err := errors.Join(CopyTree(m.dir, tmp), m.ensureGoMod(tmp), cache.Seal(tmp, to, nil)); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return os.Rename(tmp, to)
}

// ensureGoMod writes the go.mod of a copy of the module that lacks one.
func (m *module) ensureGoMod(copied string) error {
	name := filepath.Join(copied, "go.mod")
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	data := []byte("module " + modfile.AutoQuote(m.path) + "\n")
	if m.goMod != "" {
		var err error
		if data, err = os.ReadFile(m.goMod); err != nil {
			return err
		}
	}
	return os.WriteFile(name, data, 0o600)
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
			return os.MkdirAll(target, 0o700)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o600)
		if info, err := d.Info(); err == nil {
			mode |= info.Mode() & 0o100
		}
		return os.WriteFile(target, data, mode)
	})
}

// beneath reports whether name is in dir.
func beneath(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return dir != "" && name != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
