package footprint

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Calls of the standard library by code that is not traced (D5).

// standard adds a call of a function of the standard library: what its arguments lead to, by types, and what it may call.
func (k *Masker) standard(c *coded, com *ssa.CallCommon, name, pkg string) {
	m := &c.mask
	k.passes(c, com)
	if com.IsInvoke() {
		k.implementations(c, com.Method.Name())
	}
	if pkg == "errors" && name != "errors.New" && name != "errors.Join" {
		k.implementations(c, "Is", "As", "Unwrap")
	}
	if pkg == "context" {
		k.implementations(c, contextMethods...)
	}
	e, state := lookup(name, pkg)
	switch {
	case state != "" && !apart(pkg), pkg == "log" && k.Program.logs, pkg == "regexp" && k.Program.matchers:
		m.all("what %s keeps may lead to anything", pkg)
		return
	case e.effect == None:
		return
	}
	r := newReacher(k.Program.traced)
	r.std, r.reflects, r.each = true, reflects(name, pkg), func(t types.Type) { m.whole(t, e.effect) }
	r.called = func(ssa.Value, types.Type, bool) { m.line("call", Write) }
	met := map[string]bool{}
	r.settled = func(name string) { met[name] = true }
	r.arguments(com, e.receiver)
	k.settled(c, &r, met)
	if r.scope != Named {
		m.everything("what %s is given leads to more than its types say", name)
	}
	if r.mapped {
		m.line("map", e.effect)
	}
	if fn := com.StaticCallee(); r.reflects && fn != nil && fn.Prog != nil {
		for x := range r.seen {
			k.methods(c, x.t, fn.Prog)
			if !types.IsInterface(x.t) { // reflection has its address
				k.methods(c, types.NewPointer(x.t), fn.Prog)
			}
		}
	}
}

// apart reports whether what a package of the standard library keeps leads to nothing that others have given it: files, the environment, clocks. Others keep values, and functions that they call: flag, log/slog, image, expvar.
func apart(pkg string) bool {
	top, _, _ := strings.Cut(pkg, "/")
	switch top {
	case "os", "syscall", "path", "mime", "runtime", "time", "embed", "internal":
		return pkg != "runtime/pprof"
	}
	return strings.HasPrefix(pkg, "crypto/")
}
