package overhead

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
)

// A unit names what the vet command analyses. It has the fields of unitchecker.Config (x/tools)
// that the command needs.
type unit struct {
	ID, Compiler, Dir, ImportPath, VetxOutput string
	GoFiles                                   []string
	ImportMap, PackageFile                    map[string]string
	Standard                                  map[string]bool
}

// vetUnit writes the unit of a package of the standard library below dir, and returns the file.
//
// The go command gives such a file to the vet command. It builds that from GOROOT, and so does this
// benchmark: go run cmd/vet unit.cfg. It is one process that parses and type-checks the package and
// runs all analysers of go vet on it, in goroutines, and all its code is outside the main module. A
// program of our own with the same analysers would need go/packages, whose time is mostly that of
// the go command it starts. The file is made here because the go command writes it only where it
// has no result in its cache. It has no facts of imported packages (PackageVetx): for nearly all
// packages of the standard library they are empty.
func vetUnit(ctx context.Context, dir, path string) (file string, err error) {
	packages, err := listDeps(ctx, path)
	if err != nil {
		return "", err
	}
	u := unit{ID: path, ImportPath: path, Compiler: "gc", VetxOutput: filepath.Join(dir, "vet.out"),
		ImportMap: map[string]string{}, PackageFile: map[string]string{}, Standard: map[string]bool{}}
	for _, p := range packages {
		u.ImportMap[p.ImportPath], u.Standard[p.ImportPath] = p.ImportPath, true
		if p.Export != "" {
			u.PackageFile[p.ImportPath] = p.Export
		}
	}
	p := packages[len(packages)-1] // after what it imports
	u.Dir = p.Dir
	for _, f := range p.GoFiles {
		u.GoFiles = append(u.GoFiles, filepath.Join(p.Dir, f))
	}
	maps.Copy(u.ImportMap, p.ImportMap)
	data, err := json.MarshalIndent(u, "", "\t")
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "unit.cfg")
	return file, os.WriteFile(file, data, 0o666)
}

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
}

// listDeps lists a package and what it imports, compiled.
func listDeps(ctx context.Context, path string) (packages []listed, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,ImportMap", path)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", cmd.Args, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("%v: %w", cmd.Args, err)
		}
		packages = append(packages, p)
	}
}
