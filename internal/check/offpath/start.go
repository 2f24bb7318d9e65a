package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// start executes a go statement. What the goroutine has allocated is frozen (CP5).
func (m *machine) start(in *ssa.Go) {
	f := m.frame
	inner := m.entered(&in.Call, f.callee(&in.Call), f.operands(in.Call.Args), f.bindings(in.Call.Value))
	m.starts(inner, f.at().Site)
}

// group is a WaitGroup of which a goroutine takes one away at its end, and the call of its Go.
type group struct {
	addr uint64
	site trace.Site
}

// isGo reports whether a function is the Go of sync.WaitGroup.
func isGo(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.FullName() == "(*sync.WaitGroup).Go"
}

// groupGo executes the Go of a WaitGroup: it adds one, and starts a goroutine.
func (m *machine) groupGo(in *ssa.Call) {
	args, site := m.frame.operands(in.Call.Args), m.frame.at().Site
	x := &group{pointer(args[0]), site}
	if x.addr >= freshBase {
		throw("a WaitGroup that the alternative has made")
	}
	adds(m.steps.expect(format.WGAdd, 0, site, &x.addr, 0), 1)
	inner := m.called(args[1], nil)
	inner.group = x
	m.starts(inner, site)
}

// starts starts a goroutine with an invocation.
func (m *machine) starts(inner *frame, site trace.Site) {
	s := m.steps.expect(format.Go, 0, site, nil, 0)
	m.env.heap.freeze(m.env.owner)
	u := m.process.goroutine(trace.GoID(s.Event.Obj))
	u.frame, inner.env = inner, u.env
	m.process.waiting = append(m.process.waiting, u)
}
