// Package trust says what of a file may reach the go command and the file system, although
// somebody else may have written the file: a kept schedule, a report or a trace.
//
//	(T1) Of the go command's flags those are taken that can neither run nor name a program, a
//	     file or a directory. They are a list: a flag that is not on it is refused, also one
//	     that a later go command has.
//	(T2) A value stands in the same argument as its flag: a flag without its value would take the
//	     next argument for it.
//	(T3) A package is an import path, or a path below the directory of the command. It does not
//	     begin like a flag.
//	(T4) A name that becomes part of a path has letters, digits, '-', '_' and '.' alone, and does
//	     not begin with a dot.
//
// # Soundness
//
// The program itself is not looked at. Whoever builds a module runs what its source says: its code,
// and what go.mod and cgo directives name. The caller says which directories these may come from.
package trust

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// bools and valued are the flags of (T1).
var (
	bools  = strings.Fields("a asan benchmem failfast fullpath json msan race short trimpath v x")
	valued = strings.Fields("bench benchtime count cpu list p parallel run shuffle skip tags timeout vet")
)

// values are flags of (T1) with the values that they may have: -mod=mod writes go.mod, and another
// value of -pgo names a file.
var values = map[string][]string{
	"mod":      {"readonly", "vendor"},
	"pgo":      {"auto", "off"},
	"buildvcs": {"false"},
}

// Flags returns the flags that are refused (T1, T2).
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

// Package reports whether path is a package (T3).
func Package(path string) bool {
	if strings.HasPrefix(path, "./") || path == "." {
		return filepath.IsLocal(filepath.FromSlash(path)) && packagePath.MatchString(path)
	}
	return packagePath.MatchString(path) && filepath.IsLocal(filepath.FromSlash(path))
}

var name = regexp.MustCompile(`^[0-9A-Za-z_-][0-9A-Za-z_.-]{0,99}$`)

// Name reports whether s may be part of a path (T4).
func Name(s string) bool { return name.MatchString(s) }

// Local reports whether a path with slashes stays below the directory that it is relative to.
func Local(path string) bool { return filepath.IsLocal(filepath.FromSlash(path)) }
