package plan

import (
	"go/ast"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
)

// Plan holds the records of every function of a program. It is immutable.
type Plan struct {
	Program *Program
	// Packages, Files, Funcs and Sites are the tables for trace.Meta. Funcs holds
	// opaque functions as well, with the reason.
	Packages []string
	Files    []trace.File
	Funcs    []trace.Func
	Sites    []trace.SiteInfo

	// Units are the functions that are emitted or left as a whole, in order.
	Units []*Unit

	Missing *Missing

	funcs []*Func // by FuncID
	byFn  map[*ssa.Function]*Func
	byKey map[string]*Func

	variables   []*ssa.Global     // by number; the first is nil
	variablesAt map[*ast.File]int // see FirstVariable

	naming  sync.Once
	exposed exposed // see Named
}

// Unit is a function with its literals, in the source one stretch of text.
type Unit struct {
	Pkg    *Package
	File   *ast.File
	Node   ast.Node // *ast.FuncDecl, or the *ast.FuncLit of a variable initialiser
	Key    string
	Funcs  []*Func // the function itself first
	Opaque string  // why it stays as written; "": it is emitted
}

// Func is the plan of one function.
type Func struct {
	ID   trace.FuncID
	Site trace.Site // of Enter and Exit
	SSA  *ssa.Function
	Unit *Unit
	// after Enter, if the caller was not instrumented: parameters, then free variables
	Params []Hook
	Blocks []Block
	Defers bool // deferred calls may run between Return and Exit

	local   map[*ssa.Alloc]bool
	bound   map[ssa.Value]bool // Allocs and FreeVars (PL7)
	numbers map[ssa.Value]bool // fused conversions to unsafe.Pointer (PL2)
}

// Block is the plan of one basic block.
type Block struct {
	Site     trace.Site
	Recorded bool // has a Block record (PL3)
	Instrs   []Instr
}

// Instr is the plan of one instruction.
type Instr struct {
	Site   trace.Site // 0: the instruction writes nothing
	Call   bool       // Call(Site) precedes it: a call, or an operation the runtime side records
	Opaque bool       // bracketed by OpaqueBegin and OpaqueEnd (PL4)
	Target Target     // with Opaque: how the callee is found
	Maybe  bool       // with Opaque: at run time, the call may enter a typed operation (PL5)
	Fused  bool       // not in the emitted program (PL1)
	Check  bool       // a load that only checks for nil: it is executed, but reads nothing (PL2)
	Before []Hook     // records written before the instruction takes effect
	After  []Hook     // records written after it, and after the bracket
}

// New plans the program. The units whose keys are in opaque stay as written, for
// the reason given there.
func New(prog *Program, opaque map[string]string) *Plan {
	b := newBuilder(prog, opaque)
	b.plan.Missing = newMissing(prog)
	b.run()
	return b.plan
}

// OfRecording is New without what only a recorder needs. The packages that it leaves out are known
// by their paths, in its order.
func OfRecording(prog *Program, missing []string, opaque map[string]string) *Plan {
	b := newBuilder(prog, opaque)
	b.plan.Missing = missingOf(missing)
	b.run()
	return b.plan
}

// Func returns the plan of fn or of the generic function it is an instance of;
// nil if fn is not emitted.
func (p *Plan) Func(fn *ssa.Function) *Func {
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	f := p.byFn[fn]
	if f == nil {
		f = p.byKey[Key(fn)]
	}
	if f == nil || f.Unit.Opaque != "" {
		return nil
	}
	return f
}

// ByID returns the plan of a function; nil if it is not emitted.
func (p *Plan) ByID(id trace.FuncID) *Func {
	if int(id) >= len(p.funcs) || p.funcs[id].Unit.Opaque != "" {
		return nil
	}
	return p.funcs[id]
}

// FuncAt returns the function, block and instruction of a site. Block and instr are -1
// for the site of the function itself, instr is -1 for that of a block. It returns nil for
// a site that is not in the plan, or in an opaque function.
func (p *Plan) FuncAt(s trace.Site) (f *Func, block, instr int) {
	if s == 0 || int(s) >= len(p.Sites) {
		return nil, -1, -1
	}
	info := &p.Sites[s]
	f = p.funcs[info.Func]
	if f.Unit.Opaque != "" {
		return nil, -1, -1
	}
	return f, int(info.Block), int(info.Instr)
}

// Key names a function across packages and variants: its qualified name. Functions without a
// package, such as wrappers, have none.
func Key(fn *ssa.Function) string {
	if fn.Synthetic != "" && fn.Synthetic != "from type information" &&
		fn.Synthetic != "from type information (on demand)" && fn.Synthetic != "range-over-func yield" {
		return ""
	}
	return fn.String()
}
