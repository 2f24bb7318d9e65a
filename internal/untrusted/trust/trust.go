// Package trust decides which parts of a file may reach the go command and the file system. The
// file is a kept schedule, a report or a trace, and another user may have written it.
//
// Flags of the go command are accepted from a list. They can neither run nor name a program, a file
// or a directory. A flag that is not on the list is refused, also one of a later go command. The
// value of a flag must be in the same argument: otherwise a flag without its value would take the
// next argument.
//
// A package is an import path, or a path below the directory of the command. It does not begin like
// a flag. A name that becomes part of a path has only letters, digits, '-', '_' and '.', and does
// not begin with a dot.
//
// # Soundness
//
// The program itself is not checked. To build a module is to run what its source names: its code,
// and what go.mod and cgo directives name. The caller decides which directories the module may be
// in.
package trust

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// bools and valued are the accepted flags.
var (
	bools  = strings.Fields("a asan benchmem failfast fullpath json msan race short trimpath v x")
	valued = strings.Fields("bench benchtime count cpu list p parallel run shuffle skip tags timeout vet")
)

// values are accepted flags with their accepted values: -mod=mod writes go.mod, and another
// value of -pgo names a file.
var values = map[string][]string{
	"mod":      {"readonly", "vendor"},
	"pgo":      {"auto", "off"},
	"buildvcs": {"false"},
}

// Flags returns the flags that are refused.
func Flags(flags []string) (refused []string) {
	for _, f := range flags {
		if !flag(f) {
			refused = append(refused, f)
		}
	}
	return refused
}

func flag(arg string) bool {
	text := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
	name, value, inline := strings.Cut(text, "=")
	if text == arg || strings.ContainsRune(arg, 0) {
		return false
	}
	name = strings.TrimPrefix(name, "test.")
	switch {
	case slices.Contains(bools, name):
		return !inline || value == "true" || value == "false"
	case slices.Contains(valued, name):
		return inline
	}
	return inline && slices.Contains(values[name], value)
}

var packagePath = regexp.MustCompile(`^[\pL\pN_.~][\pL\pN_./~+-]*$`)

// Package reports whether path is accepted as a package.
func Package(path string) bool {
	if strings.HasPrefix(path, "./") || path == "." {
		return filepath.IsLocal(filepath.FromSlash(path)) && packagePath.MatchString(path)
	}
	return packagePath.MatchString(path) && filepath.IsLocal(filepath.FromSlash(path))
}

var name = regexp.MustCompile(`^[0-9A-Za-z_-][0-9A-Za-z_.-]{0,99}$`)

// Name reports whether s may be part of a path.
func Name(s string) bool { return name.MatchString(s) }

// Local reports whether a path with slashes stays below the directory that it is relative to.
func Local(path string) bool { return filepath.IsLocal(filepath.FromSlash(path)) }
