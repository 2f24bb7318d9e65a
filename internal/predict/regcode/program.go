package regcode

import (
	"go/types"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// A Global is a variable of a package. Its first access shows its address.
type Global struct {
	Var    *ssa.Global
	Addr   goval.Value
	learnt atomic.Pointer[learnt] // the same, for goroutines that run beside the walk
}

type learnt struct {
	addr goval.Value
	at   int64 // the event that has shown it
}

// A Program is the functions of a plan, compiled at their first use. Several goroutines
// may use it at a time.
type Program struct {
	Plan      *plan.Plan
	Texts     *expr.Texts // contents of string constants
	codes     map[*plan.Func]*Code
	globals   map[string]*Global
	sizes     map[types.Type]int64
	compiling sync.Mutex // of codes and sizes
	naming    sync.Mutex // of globals
}

// NewProgram returns the program of a plan.
func NewProgram(p *plan.Plan) *Program {
	return &Program{Plan: p, codes: map[*plan.Func]*Code{}, globals: map[string]*Global{}, sizes: map[types.Type]int64{}}
}

// Code returns the code of a function.
func (p *Program) Code(pf *plan.Func) *Code {
	p.compiling.Lock()
	defer p.compiling.Unlock()
	c := p.codes[pf]
	if c == nil {
		c = p.compile(pf)
		p.codes[pf] = c
	}
	return c
}

// Global returns the Global of a variable of a package.
func (p *Program) Global(v *ssa.Global) *Global {
	p.naming.Lock()
	defer p.naming.Unlock()
	name := v.String()
	g := p.globals[name]
	if g == nil {
		g = &Global{Var: v}
		p.globals[name] = g
	}
	return g
}

// Place notes the addresses of variables, by name.
func (p *Program) Place(list []trace.Global) {
	at := make(map[string]trace.Addr, len(list))
	for _, g := range list {
		at[g.Name] = g.Addr
	}
	for _, pkg := range p.Plan.Program.Packages {
		for _, m := range pkg.SSA.Members {
			if v, ok := m.(*ssa.Global); ok && at[v.String()] != 0 {
				p.Global(v).Learn(uint64(at[v.String()]), -1)
			}
		}
	}
}

// Learn notes the address of the variable, which an event has shown.
func (g *Global) Learn(addr uint64, event int64) {
	g.Addr = goval.Known(addr)
	g.learnt.Store(&learnt{addr: g.Addr, at: event})
}

// AddressAt returns the address of the variable, and the event that has shown it.
func (g *Global) AddressAt() (addr uint64, event int64, ok bool) {
	l := g.learnt.Load()
	if l == nil {
		return 0, 0, false
	}
	addr, ok = l.addr.Bits()
	return addr, l.at, ok
}
