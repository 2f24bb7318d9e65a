package goversion

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
)

// A Set names the patches of one kind of build.
type Set string

// The kinds of builds.
const (
	Recorder Set = "recorder" // a program with the recorder
	Online   Set = "online"   // a program with the detector inside
	Gates    Set = "gates"    // a program that replays a schedule
	Compiler Set = "compiler" // the compiler of package compiler
)

// Sets are all of them.
var Sets = []Set{Recorder, Online, Gates, Compiler}

// setFiles are the files of patches of each set, in the order in which they are applied.
var setFiles = map[Set][]string{
	Recorder: {"random.diff", "runtime.diff", "channels.diff", "race.diff", "sync.diff", "announced.diff", "heap.diff", "once.diff", "maps.diff", "contexts.diff", "states.diff", "allocations.diff", "tests.diff", "arguments.diff", "intrinsics.diff", "steer.diff", "compat_runtime.diff", "compat_hooks.diff"},
	Online:   {"random.diff", "runtime.diff", "channels.diff", "race.diff", "sync.diff", "announced.diff", "online.diff", "heap.diff", "arguments.diff", "intrinsics.diff", "compat_runtime.diff", "compat_hooks.diff"},
	Gates:    {"random.diff", "gates.diff", "arguments.diff", "intrinsics.diff", "compat_hooks.diff"},
	Compiler: {"compiler.diff"},
}

// A PatchError says that a file of GOROOT is not as a patch expects.
type PatchError struct {
	GoVersion string
	Patch     string // channels.diff:42, below patches
	File      string // below GOROOT/src
	Anchor    string
	Found     int // occurrences of the anchor
	Want      int
	Err       error // the file cannot be read
}

func (e *PatchError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s is not supported: patch %s needs src/%s: %v", e.GoVersion, e.Patch, e.File, e.Err)
	}
	return fmt.Sprintf("%s is not supported: patch %s does not fit src/%s, which has these lines %s, not %s:\n%s",
		e.GoVersion, e.Patch, e.File, times(e.Found), times(e.Want), e.Anchor)
}

func (e *PatchError) Unwrap() error { return e.Err }

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return plural.Of(n, "time")
}

// Files are the sources of an overlay, by their names below GOROOT/src. Those of GOROOT that are
// not yet part of the overlay are read when they are needed.
type Files struct {
	version string
	root    string
	added   map[string][]byte
}

// NewFiles returns an overlay without files, for a version of Go and its GOROOT.
func NewFiles(version, goroot string) *Files {
	return &Files{version, filepath.Join(goroot, "src"), map[string][]byte{}}
}

// Add puts a file into the overlay.
func (f *Files) Add(file string, src []byte) { f.added[file] = src }

// All returns the files of the overlay.
func (f *Files) All() map[string][]byte { return f.added }

// Source returns a file as the overlay has it so far.
func (f *Files) Source(file string) ([]byte, error) {
	src, err := f.read(file)
	if err != nil {
		return nil, fmt.Errorf("%s is not supported: %w", f.version, err)
	}
	return src, nil
}

func (f *Files) read(file string) ([]byte, error) {
	if src, ok := f.added[file]; ok {
		return src, nil
	}
	return os.ReadFile(filepath.Join(f.root, filepath.FromSlash(file)))
}

// Patch applies the patches of a set. The error is a *PatchError where one does not fit.
func (f *Files) Patch(set Set) error {
	var first error
	err := f.each(set, func(err error) bool {
		first = err
		return false
	})
	return errors.Join(err, first)
}

// Try applies all patches of a set that fit, and returns an error for each of the others.
func (f *Files) Try(set Set) (all []error, err error) {
	err = f.each(set, func(err error) bool {
		all = append(all, err)
		return true
	})
	return all, err
}

// each applies the patches of a set in their order. It calls failed for each one that does not fit,
// and goes on if that returns true.
func (f *Files) each(set Set, failed func(error) bool) error {
	all, err := hunks(set, f.version)
	if err != nil {
		return err
	}
	for _, h := range all {
		if err := f.apply(h); err != nil && !failed(err) {
			return nil
		}
	}
	return nil
}

// hunks returns those of a set that are for a version of Go.
func hunks(set Set, version string) (all []hunk, err error) {
	lang := Language(version)
	for _, name := range setFiles[set] {
		list, err := readPatch(name)
		if err != nil {
			return nil, err
		}
		for _, h := range list {
			if h.span.contains(lang) {
				all = append(all, h)
			}
		}
	}
	return all, nil
}

// PatchedFiles returns the files of GOROOT/src that a set has patches for.
func PatchedFiles(version string, set Set) (names []string, err error) {
	all, err := hunks(set, version)
	for _, h := range all {
		if !h.new && !slices.Contains(names, h.file) {
			names = append(names, h.file)
		}
	}
	return names, err
}

// apply applies one hunk.
func (f *Files) apply(h hunk) error {
	if h.new {
		return f.extend(h)
	}
	src, err := f.read(h.file)
	if err != nil {
		return &PatchError{GoVersion: f.version, Patch: h.name, File: h.file, Err: err}
	}
	out, n := h.replace(string(src))
	if n != h.times {
		return &PatchError{GoVersion: f.version, Patch: h.name, File: h.file, Anchor: h.anchor, Found: n, Want: h.times}
	}
	f.added[h.file] = []byte(out)
	return nil
}

// extend adds the text of a hunk to a file that GOROOT does not have.
func (f *Files) extend(h hunk) error {
	if _, err := os.Stat(filepath.Join(f.root, filepath.FromSlash(h.file))); !errors.Is(err, fs.ErrNotExist) {
		return &PatchError{GoVersion: f.version, Patch: h.name, File: h.file, Err: fs.ErrExist}
	}
	f.added[h.file] = append(f.added[h.file], h.text...)
	return nil
}

// replace replaces each occurrence of the anchor, and returns how many there are. But for a hunk
// within a line, one begins where a line begins.
func (h *hunk) replace(src string) (out string, n int) {
	var b strings.Builder
	done, from := 0, 0 // src[:done] is in b; the search goes on at from
	for {
		i := strings.Index(src[from:], h.anchor)
		if i < 0 {
			b.WriteString(src[done:])
			return b.String(), n
		}
		i += from
		if !h.within && i > 0 && src[i-1] != '\n' {
			from = i + 1
			continue
		}
		n++
		b.WriteString(src[done:i])
		b.WriteString(h.text)
		done = i + len(h.anchor)
		from = done
	}
}
