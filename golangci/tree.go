package golangci

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/presage-race/presage/internal/static/store"
)

// state is a digest of what the issues of the working directory's module can depend on, or a name
// that no other process has if the digest cannot be made: then golangci-lint keeps nothing.
func state() string {
	dir, err := os.Getwd()
	if err == nil {
		var sum string
		if sum, err = digest(dir); err == nil {
			return sum
		}
	}
	return fmt.Sprintf("%x", time.Now().UnixNano())
}

// digest is that of the trees of a directory, of this program, and of the environment.
func digest(dir string) (string, error) {
	program, err := store.Executable()
	if err != nil {
		return "", err
	}
	t := &tree{sum: sha256.New(), seen: map[string]bool{}}
	fmt.Fprintf(t.sum, "%x\n", program)
	for _, name := range []string{"GOOS", "GOARCH", "GOFLAGS", "GOEXPERIMENT", "GOWORK"} {
		fmt.Fprintf(t.sum, "%s=%s\n", name, os.Getenv(name))
	}
	work, err := workspace(dir)
	switch {
	case err != nil:
		return "", err
	case work != "":
		err = t.workspace(work)
	default:
		root := rootOf(dir)
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
			return "", err
		}
		err = t.module(root)
	}
	return fmt.Sprintf("%x", t.sum.Sum(nil)[:12]), err
}

// workspace is the go.work of a directory, "" if there is none.
func workspace(dir string) (string, error) {
	switch name := os.Getenv("GOWORK"); name {
	case "off":
		return "", nil
	case "":
	default:
		return name, nil
	}
	for up := dir; ; up = filepath.Dir(up) {
		name := filepath.Join(up, "go.work")
		if _, err := os.Stat(name); err == nil || !os.IsNotExist(err) {
			return name, err
		}
		if up == filepath.Dir(up) {
			return "", nil
		}
	}
}

// tree is the sources of the modules that can change without a change of a go.sum: that of the
// working directory, those of its workspace, and directories that replace a module.
type tree struct {
	sum  hash.Hash
	seen map[string]bool // modules
}

func (t *tree) workspace(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	if err := t.files(dir, "go.work", "go.work.sum", "vendor/modules.txt"); err != nil {
		return err
	}
	for _, u := range f.Use {
		if err := t.module(absolute(dir, u.Path)); err != nil {
			return err
		}
	}
	return t.replaced(dir, f.Replace)
}

// module adds a module, and those that replace others in its build.
func (t *tree) module(root string) error {
	if t.seen[root] {
		return nil
	}
	t.seen[root] = true
	name := filepath.Join(root, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(name, data, nil)
	if err != nil {
		return err
	}
	if err := t.files(root, "go.mod", "go.sum", "vendor/modules.txt"); err != nil {
		return err
	}
	if err := t.sources(root); err != nil {
		return err
	}
	return t.replaced(root, f.Replace)
}

func (t *tree) replaced(dir string, list []*modfile.Replace) error {
	for _, r := range list {
		if !modfile.IsDirectoryPath(r.New.Path) {
			continue
		}
		if err := t.module(absolute(dir, r.New.Path)); err != nil {
			return err
		}
	}
	return nil
}

// sources adds the Go files of a module. Directories with a go.mod are other modules.
func (t *tree) sources(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root:
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil || slices.Contains([]string{".git", ".hg", ".svn", "node_modules"}, d.Name()) {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go"):
			return t.file(name)
		}
		return nil
	})
}

// files adds those files of a directory that are there.
func (t *tree) files(dir string, names ...string) error {
	for _, name := range names {
		if err := t.file(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

func (t *tree) file(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.sum, "%s %x\n", name, h.Sum(nil))
	return err
}

func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}
