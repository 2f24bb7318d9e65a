package link

import (
	"slices"
	"strings"
)

// findCommanded finds what the commands of the program reach (R17): for these functions the world is closed. Reached is what is called, what is a
// literal in the text, and what is stored or converted to an interface there, with its methods: some call through a value is meant for it.
func (l *linker) findCommanded(keys []string) {
	l.commanded = map[string]bool{}
	literals, methods := map[string][]string{}, map[string][]string{}
	for _, k := range keys {
		if i := strings.LastIndexByte(k, '$'); i > 0 {
			literals[k[:i]] = append(literals[k[:i]], k)
		} else if i := strings.LastIndex(k, ")."); i > 0 && k[0] == '(' {
			methods[k[1:i]] = append(methods[k[1:i]], k)
		}
	}
	var work []string
	for _, r := range l.roots {
		if f := l.sums[r.fn]; r.kind == first && f.Target && !example(f.Pkg) {
			work = append(work, r.fn)
		}
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		f := l.sums[key]
		if l.commanded[key] || f == nil {
			continue
		}
		l.commanded[key] = true
		for _, e := range l.calls(key) {
			work = append(work, e.Callee)
		}
		work = append(work, literals[key]...)
		for _, flow := range f.Flows {
			work = append(work, strings.TrimSuffix(flow.From, boundSuffix))
			work = append(work, methods[flow.From]...)
			work = append(work, methods[strings.TrimPrefix(flow.From, "*")]...)
		}
	}
}

// example reports whether a package shows the use of others: it is not what they are for.
func example(pkg string) bool {
	return slices.ContainsFunc(strings.Split(pkg, "/"), func(dir string) bool { return dir == "example" || dir == "examples" })
}

// outside reports whether a root is a call from outside that nothing but an open world makes, though commands of the program call the function.
func (l *linker) outside(r root) bool { return r.kind == exported && l.commanded[r.fn] }
