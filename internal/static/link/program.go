package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// program has the summaries, and the calls between functions: those that a function makes itself,
// and those that are found for calls through values.
type program struct {
	sums       map[string]*summary.Function
	filled     map[string][]summary.Edge // calls through values whose targets are known
	literals   map[string][]string       // in the text of functions
	methodsOf  map[string][]string       // by types
	parameters map[string]string         // of generic types
}

func newProgram(sums map[string]*summary.Function, keys []string) *program {
	p := &program{sums: sums, parameters: parameters(keys)}
	p.literals, p.methodsOf = members(keys)
	return p
}

// calls lists the known calls of a function.
func (pr *program) calls(key string) []summary.Edge {
	f := pr.sums[key]
	if f == nil {
		return nil
	}
	if more := pr.filled[key]; more != nil {
		return append(slices.Clip(f.Edges), more...)
	}
	return f.Edges
}

// leadsTo goes through what a function calls, the literals in its text, and the functions of the
// flows that count.
func (pr *program) leadsTo(key string, calls func(key string) []summary.Edge, counts func(summary.Flow) bool, reach func(keys ...string)) {
	for _, e := range calls(key) {
		reach(e.Callee)
	}
	reach(pr.literals[key]...)
	for _, flow := range pr.sums[key].Flows {
		if counts(flow) {
			reach(flow.From, strings.TrimSuffix(flow.From, boundSuffix))
			reach(pr.methodsOf[flow.From]...)
			reach(pr.methodsOf[strings.TrimPrefix(flow.From, "*")]...)
		}
	}
}

// closure follows calls, literals and the flows that count.
func (pr *program) closure(from map[string]processes, calls func(key string) []summary.Edge, counts func(summary.Flow) bool) map[string]processes {
	by := map[string]processes{}
	var work []string
	reach := func(p processes, keys ...string) {
		for _, k := range keys {
			if old := by[k]; old|p != old && pr.sums[k] != nil {
				by[k] = old | p
				work = append(work, k)
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(from)) {
		reach(from[k], k)
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		p := by[key]
		pr.leadsTo(key, calls, counts, func(keys ...string) { reach(p, keys...) })
	}
	return by
}

// command reports whether a package is a command: no package imports it.
func (pr *program) command(pkg string) bool { return pr.sums[pkg+".main"] != nil }

// within finds the functions of internal packages that another package calls: whoever may import
// them is in the program. Methods of types that another package shows to its importers are not
// among them, nor what is stored or passed on as a value.
func (pr *program) within(keys []string) map[string]bool {
	out, shown, values := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, k := range keys {
		for _, t := range pr.sums[k].Shows {
			shown[t] = true
		}
		for _, flow := range pr.sums[k].Flows {
			values[strings.TrimSuffix(flow.From, boundSuffix)] = true
		}
	}
	for _, k := range keys {
		f := pr.sums[k]
		for _, e := range pr.calls(k) {
			callee := pr.sums[e.Callee]
			if callee == nil || callee.Pkg == f.Pkg || !path.Internal(callee.Pkg) || inTestFile(f) {
				continue
			}
			key := summary.General(e.Callee)
			typ, _, _ := strings.Cut(typeOf(key), "[")
			if !shown[typ] && !values[key] {
				out[key] = true
			}
		}
	}
	return out
}

// inTestFile reports whether a function stands in a file of tests.
func inTestFile(f *summary.Function) bool {
	return len(f.Places) > 0 && strings.HasSuffix(f.Files[f.Places[0].File], "_test.go")
}

// members lists the literals in the text of functions, and the methods of types.
func members(keys []string) (literals, methods map[string][]string) {
	literals, methods = map[string][]string{}, map[string][]string{}
	for _, k := range keys {
		if i := strings.LastIndexByte(k, '$'); i > 0 {
			literals[k[:i]] = append(literals[k[:i]], k)
		} else if i := strings.LastIndex(k, ")."); i > 0 && k[0] == '(' {
			typ, _, _ := strings.Cut(k[1:i], "[")
			methods[typ] = append(methods[typ], k)
		}
	}
	return literals, methods
}

// parameters finds the type parameters of generic types, as they stand in the keys of their
// methods: flows name the types without them.
func parameters(keys []string) map[string]string {
	out := map[string]string{}
	for _, k := range keys {
		if i := strings.LastIndex(k, "])."); i > 0 && k[0] == '(' {
			name, params, _ := strings.Cut(k[1:i], "[")
			out[strings.TrimPrefix(name, "*")] = "[" + params + "]"
		}
	}
	return out
}

// boundSuffix ends the name of a method value.
const boundSuffix = "$bound"

// unknownThread is the thread of a go statement whose function is known only here.
const unknownThread = -1

// isMain reports whether the function is the main of a command, or one that is named so.
func isMain(key string) bool { return strings.HasSuffix(key, ".main") && typeOf(key) == "" }

func isTest(name, key string) bool {
	for _, p := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(name, p) && key[0] != '(' && !strings.Contains(name, "$") {
			return true
		}
	}
	return false
}

// inTest reports whether the function is a literal in the text of a test.
func inTest(key string) bool {
	name, _, literal := strings.Cut(key[strings.LastIndexByte(key, '.')+1:], "$")
	return literal && isTest(name, key[:strings.LastIndexByte(key, '.')+1]+name)
}

// typeOf is the type in the key of a method or field, "" of a function.
func typeOf(key string) string {
	k := strings.TrimLeft(key, "(*")
	if i := strings.LastIndexByte(k, '.'); i >= 0 {
		k = strings.TrimSuffix(k[:i], ")")
	}
	slash := strings.LastIndexByte(k, '/')
	if !strings.Contains(k[slash+1:], ".") {
		return ""
	}
	return k
}

// receiver is the formal that is the object of a method's type.
func receiver(key string) []string {
	if typeOf(key) == "" || strings.Contains(key, "$") {
		return nil
	}
	return []string{"$0"}
}

// ownReceiver lists the formals of a function that are the receiver of the method in whose text it
// stands.
func ownReceiver(key string) []string {
	if typeOf(key) == "" {
		return nil
	}
	if !strings.Contains(key, "$") {
		return []string{"$0"}
	}
	return nil
}
