package compiler

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/record/goversion"
)

//go:embed all:_src
var sources embed.FS

// Config says which Go the compiler is of.
type Config struct {
	GoRoot    string
	GoVersion string   // go1.26.8
	GOARCH    string   // of the program
	Go        string   // the go command
	Env       []string // and what its environment needs
}

// An Unsupported says why there is no compiler of ours for a Go: the program can be built with the
// compiler as it is.
type Unsupported struct{ Reason string }

func (u *Unsupported) Error() string { return u.Reason }

// Key identifies the compiler that Build makes: the version of Go, its own compiler, and the edits.
func (c Config) Key() (string, error) {
	if runtime.GOOS != goversion.OS || !slices.Contains(goversion.Archs, runtime.GOARCH) || !slices.Contains(goversion.Archs, c.GOARCH) {
		return "", &Unsupported{"it is for linux on " + strings.Join(goversion.Archs, " and ")}
	}
	if !strings.HasPrefix(c.GoVersion, "go1.") {
		return "", &Unsupported{fmt.Sprintf("%s is not a released version of Go", c.GoVersion)}
	}
	id, err := buildID(filepath.Join(c.GoRoot, "pkg", "tool", "linux_"+runtime.GOARCH, "compile"))
	if err != nil {
		return "", &Unsupported{fmt.Sprintf("the compiler of GOROOT has no identity: %v", err)}
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q\n", cacheVersion, Name, c.GoVersion, id, goversion.Text(goversion.Compiler))
	for _, name := range addedNames() {
		src, err := sources.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %q\n", name, src)
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// cacheVersion is that of how compilers are kept. Those of version 1 had directories that everybody
// could write, and those before 3 no seal: a new one is built in their place.
const cacheVersion = "3"

// buildID returns the note of a program of Go that identifies it.
func buildID(file string) (string, error) {
	f, err := elf.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	note := f.Section(".note.go.buildid")
	if note == nil {
		return "", errors.New("no build ID")
	}
	data, err := note.Data()
	return string(data), err
}

func addedNames() []string {
	var names []string
	for name := range added {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Build makes the compiler in dir, as the file Name, with the edited sources beside it. It takes
// about a minute of CPU, unless the go command's cache has parts of it. An Unsupported is returned
// where this Go cannot have it.
func (c Config) Build(ctx context.Context, dir string) error {
	key, err := c.Key()
	if err != nil {
		return err
	}
	overlay, err := c.overlay(filepath.Join(dir, "src"), key)
	if err != nil {
		return err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return err
	}
	tmp := filepath.Join(dir, Name+".new")
	cmd := exec.CommandContext(ctx, c.Go, "build", "-overlay="+list, "-pgo=off", "-trimpath", "-ldflags=-s -w", "-o", tmp, "cmd/compile")
	cmd.Dir = filepath.Join(c.GoRoot, "src", "cmd")
	// Nothing of what the user builds with: this is a program of the go command's own.
	cmd.Env = slices.Concat(os.Environ(), c.Env, []string{"GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOOS=linux", "GOARCH=" + runtime.GOARCH, "GOAMD64=", "GOARM64=", "CGO_ENABLED=0", "GOEXPERIMENT=", "GOFIPS140=", "PWD=" + cmd.Dir})
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &Unsupported{fmt.Sprintf("it does not build: %v\n%s", err, bytes.TrimSpace(out))}
	}
	if err := os.Chmod(tmp, 0o700); err != nil { // whatever the umask allows
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, Name))
}

// Name is that of the compiler in its directory. To a tool that is named compile the go command
// passes long arguments in a file.
const Name = "presage-compile"

// overlay writes the edited sources below dir, and returns the file for -overlay.
func (c Config) overlay(dir, key string) ([]byte, error) {
	root := filepath.Join(c.GoRoot, "src")
	files := goversion.NewFiles(c.GoVersion, c.GoRoot)
	for from, to := range added {
		src, err := sources.ReadFile(from)
		if err != nil {
			return nil, err
		}
		files.Add("cmd/compile/"+to, bytes.ReplaceAll(src, []byte("PRESAGE_ID"), []byte(key)))
	}
	if err := files.Patch(goversion.Compiler); errors.Is(err, fs.ErrNotExist) {
		return nil, &Unsupported{"GOROOT has no sources of the compiler: " + err.Error()}
	} else if err != nil {
		return nil, &Unsupported{err.Error()}
	}
	replace := make(map[string]string)
	for file, src := range files.All() {
		name := filepath.Join(dir, strings.TrimPrefix(filepath.FromSlash(file), filepath.FromSlash("cmd/compile/")))
		replace[filepath.Join(root, filepath.FromSlash(file))] = name
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, src, 0o600); err != nil {
			return nil, err
		}
	}
	return json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
}
