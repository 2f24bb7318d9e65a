package link

import (
	"slices"
	"strings"
)

// findCommanded finds what the commands of the program reach (R14): for these functions the world is closed.
func (l *linker) findCommanded() {
	l.commanded = map[string]bool{}
	var work []string
	for _, r := range l.roots {
		if f := l.sums[r.fn]; r.kind == first && f.Target && !example(f.Pkg) {
			work = append(work, r.fn)
		}
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		if l.commanded[key] || l.sums[key] == nil {
			continue
		}
		l.commanded[key] = true
		for _, e := range l.calls(key) {
			work = append(work, e.Callee)
		}
	}
}

// example reports whether a package shows the use of others: it is not what they are for.
func example(pkg string) bool {
	return slices.ContainsFunc(strings.Split(pkg, "/"), func(dir string) bool { return dir == "example" || dir == "examples" })
}

// outside reports whether a root is a call from outside that nothing but an open world makes, though commands of the program call the function.
func (l *linker) outside(r root) bool { return r.kind == exported && l.commanded[r.fn] }
