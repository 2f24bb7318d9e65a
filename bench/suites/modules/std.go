package modules

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/record"
)

// stdPath is the module of copied packages: net/url is example.org/std/net/url.
const stdPath = "example.org/std"

//go:embed testdata/internal
var standIns embed.FS

// copyStd makes a module of packages of the standard library with their tests and the
// internal packages that these need.
func copyStd(goroot, dir string, packages, tags []string) error {
	c := &copier{goroot: goroot, dir: dir, together: packages, copied: map[string]bool{}, context: build.Default}
	c.context.GOROOT, c.context.BuildTags = goroot, tags
	for _, p := range packages {
		if err := c.pkg(p, true); err != nil {
			return fmt.Errorf("copying %s: %w", p, err)
		}
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+stdPath+"\n\ngo 1.26\n"), 0o600)
}

type copier struct {
	goroot, dir string
	together    []string // packages whose copies import one another
	copied      map[string]bool
	context     build.Context
}

func (c *copier) pkg(p string, tests bool) error {
	if c.copied[p] {
		return nil
	}
	c.copied[p] = true
	if _, err := fs.Stat(standIns, path.Join("testdata", p)); err == nil {
		return c.standIn(p)
	}
	from := filepath.Join(c.goroot, "src", p)
	b, err := c.context.ImportDir(from, 0)
	if err != nil {
		return err
	}
	needs := b.Imports
	if tests {
		needs = slices.Concat(b.Imports, b.TestImports, b.XTestImports)
	}
	for _, n := range needs {
		if !internal(n) {
			continue
		}
		if err := c.pkg(n, false); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	return errors.Join(c.files(p, tests), c.testdata(p))
}

// internal reports whether only the standard library may import p.
func internal(p string) bool { return slices.Contains(strings.Split(p, "/"), "internal") }

// files copies the files of a package, without those of its test unless it is asked for.
func (c *copier) files(p string, tests bool) error {
	from, to := filepath.Join(c.goroot, "src", p), filepath.Join(c.dir, p)
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !tests && strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil && strings.HasSuffix(e.Name(), ".go") {
			text, err = c.rewrite(text)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// testdata copies the data of a package's tests, which may lie in a directory above.
func (c *copier) testdata(p string) error {
	for {
		d := filepath.Join(p, "testdata")
		if _, err := os.Stat(filepath.Join(c.goroot, "src", d)); err == nil && !c.copied[d] {
			c.copied[d] = true
			if err := record.CopyTree(filepath.Join(c.goroot, "src", d), filepath.Join(c.dir, d)); err != nil {
				return err
			}
		}
		if p == "." {
			return nil
		}
		p = path.Dir(p)
	}
}

// standIn writes the package that stands in for p.
func (c *copier) standIn(p string) error {
	from := path.Join("testdata", p)
	entries, err := standIns.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(c.dir, p), 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		text, err := standIns.ReadFile(path.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(c.dir, p, e.Name()), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// rewrite returns the text of a Go file in which imports of copied packages have their new paths.
// All lines keep their numbers.
func (c *copier) rewrite(text []byte) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	done := 0
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if !internal(p) && !slices.Contains(c.together, p) {
			continue
		}
		at := files.Position(spec.Path.Pos()).Offset
		out.Write(text[done:at])
		out.WriteString(strconv.Quote(stdPath + "/" + p))
		done = at + len(spec.Path.Value)
	}
	out.Write(text[done:])
	return out.Bytes(), nil
}
