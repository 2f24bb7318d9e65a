// Package godebug reads settings from GODEBUG, without the counting of internal/godebug.
package godebug

import (
	"os"
	"strings"
)

// Setting is a setting of GODEBUG.
type Setting struct{ name string }

// New returns the setting of a name; a leading # says that it is not documented.
func New(name string) *Setting { return &Setting{name} }

func (s *Setting) Name() string       { return strings.TrimPrefix(s.name, "#") }
func (s *Setting) Undocumented() bool { return strings.HasPrefix(s.name, "#") }
func (s *Setting) String() string     { return s.Name() + "=" + s.Value() }
func (s *Setting) IncNonDefault()     {}

// Value returns the last value that GODEBUG has of the setting.
func (s *Setting) Value() string {
	value := ""
	for part := range strings.SplitSeq(os.Getenv("GODEBUG"), ",") {
		if name, v, ok := strings.Cut(part, "="); ok && name == s.Name() {
			value = v
		}
	}
	return value
}
