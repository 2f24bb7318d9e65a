package load

import (
	"encoding/json"
	"fmt"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"runtime"
	"slices"
)

// VetConfig is what the go command gives a tool for one package (cmd/go/internal/work, vetConfig).
type VetConfig struct {
	ID                        string
	Dir                       string
	ImportPath                string
	GoFiles                   []string
	NonGoFiles                []string
	IgnoredFiles              []string
	ModulePath                string                 // up to go1.26
	Module                    *struct{ Path string } // since go1.27
	ImportMap                 map[string]string      // import path in the source → ID
	PackageFile               map[string]string      // ID → export data
	PackageVetx               map[string]string      // ID → what the tool has written of it
	VetxOnly                  bool                   // no pattern names the package
	VetxOutput                string
	GoVersion                 string
	SucceedOnTypecheckFailure bool
}

// ReadVetConfig reads the go command's file.
func ReadVetConfig(file string) (*VetConfig, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cfg := new(VetConfig)
	if err := json.Unmarshal(data, cfg); err != nil {
		return nil, fmt.Errorf("%s is not what the go command writes: %w", file, err)
	}
	if cfg.Module != nil {
		cfg.ModulePath = cfg.Module.Path
	}
	return cfg, nil
}

// Package is the package, with its sources read and not yet loaded.
func (cfg *VetConfig) Package() *Package {
	p := &Package{ID: cfg.ID, Path: WithoutVariant(cfg.ImportPath), Module: cfg.ModulePath, Std: cfg.ModulePath == "" && standard(cfg.ImportPath),
		Target: !cfg.VetxOnly, Word: word(sizes()), Fset: token.NewFileSet(), Ignored: cfg.IgnoredFiles}
	if !p.Std {
		p.Version = cfg.GoVersion
	}
	p.Bodies = !p.Std || !skeleton(p.Path)
	for _, id := range cfg.ImportMap {
		if id != "unsafe" {
			p.Imports = append(p.Imports, id)
		}
	}
	slices.Sort(p.Imports)
	p.Imports = slices.Compact(p.Imports)
	p.read(cfg.GoFiles)
	return p
}

// WithoutVariant takes off what a package was compiled for: "p [p.test]".
func WithoutVariant(path string) string {
	for i := range len(path) {
		if path[i] == ' ' {
			return path[:i]
		}
	}
	return path
}

// Load parses, checks and builds the package, with the types of what it imports from export data.
// It fails if the Go that presage was built with cannot read these.
func (cfg *VetConfig) Load(p *Package) error {
	imp := importer.ForCompiler(p.Fset, "gc", func(id string) (io.ReadCloser, error) {
		file, ok := cfg.PackageFile[id]
		if !ok {
			return nil, fmt.Errorf("no export data of %s", id)
		}
		return os.Open(file)
	})
	p.parse(parser.ParseComments)
	p.Info = newInfo()
	from := &mapped{imp, cfg.ImportMap, nil}
	p.Types = p.check(types.Config{Importer: from, GoVersion: p.Version, Sizes: sizes()})
	if from.panicked != nil {
		return fmt.Errorf("the types of imported packages: %v; presage was built with %s, please build it with the Go that calls it", from.panicked, runtime.Version())
	}
	if len(p.Errors) > 0 {
		p.cut()
	}
	p.build(nil, sizes()) // what is imported directly, the types know
	return nil
}

func sizes() types.Sizes { return types.SizesFor("gc", goarch()) }

func goarch() string {
	if a := os.Getenv("GOARCH"); a != "" {
		return a
	}
	return runtime.GOARCH
}

// mapped imports what a path in the source stands for.
type mapped struct {
	types.Importer
	ids      map[string]string
	panicked any // of the importer, which does so for export data of a later version
}

func (m *mapped) Import(path string) (p *types.Package, err error) {
	defer func() {
		if v := recover(); v != nil {
			m.panicked, err = v, fmt.Errorf("%v", v)
		}
	}()
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	id, ok := m.ids[path]
	if !ok {
		return nil, fmt.Errorf("package %s is not known", path)
	}
	return m.Importer.Import(id)
}
