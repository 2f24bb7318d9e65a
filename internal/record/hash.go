package record

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/presage-race/presage/internal/host/killed"
	"github.com/presage-race/presage/internal/host/quoted"
)

// hasher makes the key of a build from everything that it depends on: the sources, the Go
// version, presage itself.
type hasher struct{ h *xxhash.Digest }

func newHasher() *hasher { return &hasher{xxhash.New()} }

func (h *hasher) add(parts ...string) {
	for _, p := range parts {
		fmt.Fprintf(h.h, "%d:%s\n", len(p), p)
	}
}

func (h *hasher) sum() string { return fmt.Sprintf("%016x", h.h.Sum64()) }

// pkg adds a package, with the language version that its module selects. One of the module
// cache is known by its version: those whose files presage reads are added by identify. A
// vendored package has a version too, but its files can be edited.
func (h *hasher) pkg(p *listed, modCache string) {
	h.add(p.ImportPath, p.Dir)
	if p.Module != nil {
		h.add(p.Module.Path, p.Module.Version, p.Module.GoVersion)
	}
	if p.Module != nil && !p.Module.Main && beneath(p.Dir, modCache) {
		return
	}
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles, p.CFiles, p.HFiles, p.SFiles) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		data, err := os.ReadFile(name)
		h.add(name, string(data), fmt.Sprint(err))
	}
	h.add(p.EmbedFiles...)
}

// goSettings are settings of the go command that are needed by name.
type goSettings struct{ GOMODCACHE, GOFLAGS, GOWORK, GOMOD, GOAMD64 string }

// flags are those of GOFLAGS.
func (s *goSettings) flags() ([]string, error) {
	flags, err := quoted.Split(s.GOFLAGS)
	if err != nil {
		return nil, fmt.Errorf("GOFLAGS: %w", err)
	}
	return flags, nil
}

// allFlags are the flags of GOFLAGS, and after them others.
func (s *goSettings) allFlags(others []string) []string {
	flags, _ := s.flags() // what is no list has been refused (refuseFlags)
	return append(flags, others...)
}

// goEnv asks the go command, in dir, for its settings. text has all that decide what is built.
func goEnv(ctx context.Context, dir string) (env goSettings, text string, err error) {
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOVERSION", "GOROOT", "GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "CGO_ENABLED", "GOMODCACHE", "GOWORK", "GOMOD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	if err != nil {
		return env, "", fmt.Errorf("asking go env: %w", cmp.Or(killed.By(cmd), err))
	}
	return env, string(out), nil
}

// toolID identifies this build of presage: what it emits may differ from what another emits.
var toolID = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err == nil {
		if f, err := os.Open(name); err == nil {
			defer f.Close()
			h := xxhash.New()
			if _, err := io.Copy(h, f); err == nil {
				return fmt.Sprintf("%016x", h.Sum64())
			}
		}
	}
	info, _ := debug.ReadBuildInfo()
	return fmt.Sprint(info)
})
