package record

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
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

// pkg adds a package. One of the module cache cannot change under its version.
func (h *hasher) pkg(p *listed, main bool) {
	h.add(p.ImportPath, p.Dir)
	if !main && p.Module != nil && p.Module.Version != "" && p.Module.Replace == nil {
		h.add(p.Module.Path, p.Module.Version)
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

// goVersion is that of the go command that dir selects.
func goVersion(ctx context.Context, dir string) string {
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOROOT", "GOFLAGS", "GOOS", "GOARCH")
	cmd.Dir = dir
	out, _ := cmd.Output()
	return strings.TrimSpace(string(out))
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
