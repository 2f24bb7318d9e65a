package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/presage-race/presage/internal/trace"
)

// fingerprint makes the ID of a pair (RT3).
func fingerprint(a, b *Access, object string) string {
	sides := []string{a.side(), b.side()}
	slices.Sort(sides)
	if a.Key == "" || b.Key == "" {
		sides = append(sides, object)
	}
	h := xxhash.Sum64String(strings.Join(sides, "\x01"))
	return fmt.Sprintf("%012x", h>>16)
}

// side is an access as the fingerprint has it.
func (a *Access) side() string {
	switch {
	case a.Key != "":
		return a.Key
	case a.Line == 0: // another tool's trace: its name of the position is stable
		return strings.Join([]string{a.File, a.Kind, a.Expr}, "\x00")
	}
	return strings.Join([]string{a.Func, a.Kind, a.Expr}, "\x00")
}

// distinct returns a fingerprint as an ID that no other pair of the report has.
func distinct(seen map[string]int, id string) string {
	if seen[id]++; seen[id] > 1 { // the same expressions twice in the same functions
		return fmt.Sprintf("%s-%d", id, seen[id])
	}
	return id
}

// AccessKey names an access of a kind at a site of a function, so that edits elsewhere keep the
// name.
func AccessKey(fn *trace.Func, s *trace.SiteInfo, kind string) string {
	object := s.Object
	if s.Key != "" && 'A' <= s.Key[0] && s.Key[0] <= 'Z' { // the key names it
		object = ""
	}
	return strings.Join([]string{"key", cmp.Or(fn.Outer, fn.Name), kind, object, s.Key}, "\x00")
}

// key is the AccessKey of an access in the trace, "" if the trace has no keys. The source of
// outside code changes with its version, and with its lines.
func (l *Locator) key(s trace.Site, kind string) string {
	info := l.site(s)
	if l.meta.Keys == 0 || int(info.Func) >= len(l.meta.Funcs) {
		return ""
	}
	if o := l.meta.Outside; o != nil && int(s) >= o.Sites {
		info.Key = fmt.Sprintf("%s:%d", filepath.Base(l.position(s).File), info.Line)
	}
	return AccessKey(&l.meta.Funcs[info.Func], &info, kind)
}
