package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"sort"
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

	funcs  []*Func // by FuncID
	byFn   map[*ssa.Function]*Func
	byKey  map[string]*Func
	paths  map[string]bool // of Packages
	files  map[string]int32
	opaque map[string]string

	punned *puns
	// that bind the parameters of a function
	calls map[*Func][]*ssa.CallCommon
	// what the free variables that are values are bound to
	captures map[*ssa.FreeVar][]ssa.Value
	// of long blocks, while branches are planned
	blocks map[*ssa.BasicBlock]map[ssa.Instruction]*Instr

	naming  sync.Once
	exposed map[string]bool // see Named
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

	local map[*ssa.Alloc]bool
	bound map[ssa.Value]bool // Allocs and FreeVars (R13)
}

// Block is the plan of one basic block.
type Block struct {
	Site     trace.Site
	Recorded bool // has a Block record (R3)
	Instrs   []Instr
}

// Instr is the plan of one instruction.
type Instr struct {
	Site   trace.Site // 0: the instruction writes nothing
	Call   bool       // Call(Site) precedes it: a call, or an operation the runtime side records
	Opaque bool       // bracketed by OpaqueBegin and OpaqueEnd (R6)
	Target Target     // with Opaque: what tells which function is called
	Maybe  bool       // with Opaque: the run may find that a typed operation is called (R15)
	Fused  bool       // not in the emitted program (R11)
	Check  bool       // a load that only checks for nil: it is executed, but reads nothing (R16)
	Before []Hook     // records written before the instruction takes effect
	After  []Hook     // records written after it, and after the bracket
}

// New plans the program. The units whose keys are in opaque stay as written, for
// the reason given there.
func New(prog *Program, opaque map[string]string) *Plan {
	p := newPlan(prog, opaque)
	p.Missing = newMissing(prog)
	p.plan()
	return p
}

// OfRecording is New without what only a recorder needs. The packages that it leaves out are known
// by their paths, in its order.
func OfRecording(prog *Program, missing []string, opaque map[string]string) *Plan {
	p := newPlan(prog, opaque)
	p.Missing = missingOf(missing)
	p.plan()
	return p
}

func newPlan(prog *Program, opaque map[string]string) *Plan {
	p := &Plan{
		Program: prog, byFn: map[*ssa.Function]*Func{}, byKey: map[string]*Func{},
		files: map[string]int32{}, paths: map[string]bool{}, opaque: opaque, Sites: make([]trace.SiteInfo, 1),
		calls: map[*Func][]*ssa.CallCommon{}, captures: map[*ssa.FreeVar][]ssa.Value{},
	}
	for _, pkg := range prog.Packages {
		p.Packages = append(p.Packages, pkg.PkgPath)
		p.paths[pkg.PkgPath] = true
		p.addUnits(pkg)
	}
	return p
}

// plan numbers and plans all functions.
func (p *Plan) plan() {
	p.findPuns()
	for _, f := range p.funcs {
		p.number(f)
		p.bind(f)
	}
	for _, f := range p.funcs {
		p.hooks(f)
		p.bindings(f)
		p.Sites[f.Site].Defers = p.defersOutside(f.SSA)
	}
	p.blocks = map[*ssa.BasicBlock]map[ssa.Instruction]*Instr{}
	for _, f := range p.funcs {
		p.branches(f)
	}
	p.blocks = nil
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

// addUnits finds the units of a package in the order of their positions.
func (p *Plan) addUnits(pkg *Package) {
	initLits := map[token.Pos]*ssa.Function{}
	if init := pkg.SSA.Func("init"); init != nil {
		for _, lit := range init.AnonFuncs {
			initLits[lit.Pos()] = lit
		}
	}
	inits := sourceInits(pkg)
	files := append([]*ast.File(nil), pkg.Syntax...)
	sort.SliceStable(files, func(i, j int) bool { return pkg.FileName(files[i]) < pkg.FileName(files[j]) })
	for _, file := range files {
		if !handwritten(pkg, file) {
			continue
		}
		p.file(pkg.FileName(file))
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.addDecl(pkg, file, d, inits)
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					lit, ok := n.(*ast.FuncLit)
					if !ok {
						return true
					}
					if fn := initLits[lit.Type.Func]; fn != nil {
						p.addUnit(pkg, file, lit, fn)
					}
					return false
				})
			}
		}
	}
}

// sourceInits maps the declared init functions, which have no types.Object, to their SSA.
func sourceInits(pkg *Package) map[token.Pos]*ssa.Function {
	m := map[token.Pos]*ssa.Function{}
	for _, mem := range pkg.SSA.Members {
		if fn, ok := mem.(*ssa.Function); ok && fn.Synthetic == "" {
			m[fn.Pos()] = fn
		}
	}
	return m
}

func (p *Plan) addDecl(pkg *Package, file *ast.File, d *ast.FuncDecl, inits map[token.Pos]*ssa.Function) {
	if d.Body == nil || d.Name.Name == "_" {
		return
	}
	obj, _ := pkg.TypesInfo.Defs[d.Name].(*types.Func)
	fn := pkg.SSA.Prog.FuncValue(obj)
	if fn == nil {
		fn = inits[d.Name.Pos()]
	}
	if fn == nil || len(fn.Blocks) == 0 {
		return
	}
	p.addUnit(pkg, file, d, fn)
}

func (p *Plan) addUnit(pkg *Package, file *ast.File, n ast.Node, fn *ssa.Function) {
	u := &Unit{Pkg: pkg, File: file, Node: n, Key: fn.String()}
	u.Opaque = p.opaque[u.Key]
	if u.Opaque == "" {
		u.Opaque = asWritten(pkg, file, n)
	}
	p.Units = append(p.Units, u)
	p.addFuncs(u, fn)
}

func (p *Plan) addFuncs(u *Unit, fn *ssa.Function) {
	f := &Func{ID: trace.FuncID(len(p.funcs)), SSA: fn, Unit: u}
	p.funcs = append(p.funcs, f)
	u.Funcs = append(u.Funcs, f)
	p.byFn[fn] = f
	if k := Key(fn); k != "" && p.byKey[k] == nil {
		p.byKey[k] = f
	}
	pos := u.Pkg.Fset.PositionFor(fn.Pos(), false)
	p.Funcs = append(p.Funcs, trace.Func{
		Name: stackName(fn), Pkg: u.Pkg.PkgPath, File: p.file(u.Pkg.FileName(u.File)), Line: int32(pos.Line), Opaque: u.Opaque,
	})
	for _, lit := range fn.AnonFuncs {
		p.addFuncs(u, lit)
	}
}

// file returns the index of a file in the table, with the hash of its content now.
func (p *Plan) file(name string) int32 {
	if i, ok := p.files[name]; ok {
		return i
	}
	i := int32(len(p.Files))
	p.files[name] = i
	f := trace.File{Name: name}
	if text, err := os.ReadFile(name); err == nil {
		sum := sha256.Sum256(text)
		f.Hash = hex.EncodeToString(sum[:])
	}
	p.Files = append(p.Files, f)
	return i
}
